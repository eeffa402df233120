"""Use cases: one module each, from a typed request to a typed result. The command line and the service call these."""
