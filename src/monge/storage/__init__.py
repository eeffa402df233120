"""Blobs, digests, atomic files and downloads: what outlives a process. Knows nothing of texts."""
