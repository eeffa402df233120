"""Weighted point clouds: filters, weights, n-grams, costs."""
