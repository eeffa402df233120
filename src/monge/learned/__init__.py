"""What is trained with torch, an extra. What it makes is used without torch wherever that is possible."""
