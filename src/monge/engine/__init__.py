"""Running a metric over many segments."""
