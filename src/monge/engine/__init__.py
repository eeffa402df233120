"""Running metrics over many segments: chunks, executors, the journal of stored scores."""
