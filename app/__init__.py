"""The service and the command line. The only package that builds services (`wiring.py`) and uses HTTP."""
