"""A study of agreement as plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from monge.meta.agreement import Agreement
from monge.meta.study import AgreementStudy
from monge.meta.wording import study_notes, study_verdict


def study_record(study: AgreementStudy, *, data: str, signatures: Mapping[str, str]) -> dict[str, Any]:
    """Return plain JSON values: every number of the study."""
    ranking = study.ranking
    return {
        "data": data,
        "statistic": study.statistic.name,
        "level": study.plan.level,
        "tasks": list(study.tasks),
        "metrics": [
            {
                "metric": metric,
                "signature": signatures.get(metric, ""),
                "average": _agreement_record(study.averages[metric]),
                "tasks": {task: _agreement_record(a) for task, a in study.agreements[metric].items()},
                "cluster": ranking.clusters[i],
            }
            for i, metric in enumerate(ranking.metrics)
        ],
        "test": study.test,
        "pairs": [
            {
                "better": ranking.metrics[i],
                "worse": ranking.metrics[j],
                "p": _plain(float(ranking.p[i, j])),
                "corrected": _plain(float(ranking.corrected[i, j])),
                "significant": bool(ranking.beats[i, j]),
            }
            for i in range(len(ranking.metrics))
            for j in range(i + 1, len(ranking.metrics))
        ],
        "verdict": study_verdict(study),
        "notes": study_notes(study),
    }


def _agreement_record(agreement: Agreement) -> dict[str, Any]:
    record: dict[str, Any] = {
        "value": _plain(agreement.value),
        "low": _plain(agreement.low),
        "high": _plain(agreement.high),
        "chance": _plain(agreement.chance),
        "used": agreement.used,
        "unused": agreement.unused,
        "items": agreement.items,
        "groups": agreement.groups,
        "skipped": agreement.skipped,
    }
    return record | ({"reason": agreement.reason} if agreement.reason else {})


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
