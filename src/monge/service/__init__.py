"""The web service: pure handlers, a batching worker, the app, and its page."""
