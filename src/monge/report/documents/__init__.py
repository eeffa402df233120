"""Explained documents: foci in both texts and the graphs of their sentences, as text, picture and page."""
