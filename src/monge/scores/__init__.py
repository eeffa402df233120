"""Scores, what explains them, what identifies them, and tables of them."""

from monge.scores.linear_form import LinearForm
from monge.scores.scale import Scale
from monge.scores.score import Alignment, Score
from monge.scores.shares import WordShare, WordShares
from monge.scores.signature import Signature
from monge.scores.table import ScoreTable

__all__ = ["Alignment", "LinearForm", "Scale", "Score", "ScoreTable", "Signature", "WordShare", "WordShares"]
