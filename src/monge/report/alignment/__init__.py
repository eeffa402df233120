"""Pictures and pages of explanations."""
