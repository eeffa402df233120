"""Tables, figures and pages of agreement with human judgments."""
