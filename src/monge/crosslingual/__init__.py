"""What connects two languages: fitted maps of vectors, word alignment, bilingual dictionaries."""
