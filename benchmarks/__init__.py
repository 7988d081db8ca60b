"""Speed and memory, each as a ratio to a floor measured in the same run.

Run: make bench, or python -m benchmarks NAME.
"""
