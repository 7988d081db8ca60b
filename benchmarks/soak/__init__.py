"""The service under load for a long time, against a model endpoint that misbehaves, and killed on the way.

    python -m benchmarks.soak [--minutes 10] [--concurrency 64] [--hostile 4] [--faults 0.1] [--huge-mb 200] [--seed 0]

Takes about two minutes longer than asked: the sample course is ingested first, and what the service stored is checked
afterwards. Prints a table of checks and exits with 1 where one of them fails. Not part of `make bench`.
"""
