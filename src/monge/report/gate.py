"""Checks of a build as Markdown (job summaries, comments) and JUnit XML (test reports)."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from monge.report.printable import make_printable
from monge.report.tables import markdown_table
from monge.workflows.gate import GateCheck


def checks_markdown(checks: Sequence[GateCheck], *, title: str) -> str:
    """Return a heading with the result, and one row per check."""
    failed = sum(not check.passed for check in checks)
    result = f"{failed} of {len(checks)} checks failed" if failed else f"all {len(checks)} checks passed"
    rows = [
        ["✅" if check.passed else "❌", *map(make_printable, (check.system, check.metric, check.asked, check.message))]
        for check in checks
    ]
    table = markdown_table(["", "system", "metric", "asked", "found"], rows, left=5)
    return f"### {make_printable(title)}: {result}\n\n{table}\n"


def checks_junit(checks: Sequence[GateCheck], *, title: str) -> str:
    """Return one test case per check, as test reporters of CI services read them."""
    failed = sum(not check.passed for check in checks)
    suite = ElementTree.Element(
        "testsuite", name=make_printable(title), tests=str(len(checks)), failures=str(failed), errors="0"
    )
    for check in checks:
        case = ElementTree.SubElement(
            suite, "testcase", classname=make_printable(f"monge.{check.metric}"), name=make_printable(check.title)
        )
        if check.passed:
            ElementTree.SubElement(case, "system-out").text = make_printable(check.message)
        else:
            failure = ElementTree.SubElement(case, "failure", message=make_printable(check.message))
            failure.text = make_printable(check.message)
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"
