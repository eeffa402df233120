"""NLP-Capsule (Zhao et al. 2019): a text classifier of capsules, its measures, and what it is compared with."""
