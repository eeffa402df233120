"""Tables, figures and pages of comparisons."""
