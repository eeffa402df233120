"""Metrics that compare words and characters, computed by sacrebleu, rouge-score and nltk."""
