"""Tables, plots, HTML and LaTeX."""
