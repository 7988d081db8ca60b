"""The service and the command line. The only package that constructs things (`wiring.py`) and speaks HTTP."""
