"""What a text is about and how its sentences hang together: foci, sentence graphs, chains."""

from monge.discourse.chains import find_chains, match_chains
from monge.discourse.foci import EntityFinder, Foci, FocusFinder, find_lemma_surfaces, find_nouns, merge_entities
from monge.discourse.graph import count_shared_foci, link_sentences
from monge.discourse.repetition import chain_share, connectivity, mean_out_degree, mean_repetition, repetition_rate

# Raised whenever results of this room change on purpose: caches of scores are keyed by it.
ALGORITHM = 1

__all__ = [
    "ALGORITHM",
    "EntityFinder",
    "Foci",
    "FocusFinder",
    "chain_share",
    "connectivity",
    "count_shared_foci",
    "find_chains",
    "find_lemma_surfaces",
    "find_nouns",
    "link_sentences",
    "match_chains",
    "mean_out_degree",
    "mean_repetition",
    "merge_entities",
    "repetition_rate",
]
