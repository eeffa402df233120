"""The web service: handlers without HTTP, batching workers, the app and its server, and the page."""
