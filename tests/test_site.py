"""The docs site: every page has its place, links hold, and nothing is loaded from other hosts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_named_pages_exist() -> None:
    named = set(re.findall(r": ([\w/-]+\.md)$", CONFIG.partition("\nnav:")[2], re.MULTILINE))
    assert named <= {page.name for page in (ROOT / "docs").glob("*.md")}, "named in mkdocs.yml, but missing"
    assert {"index.md", "options.md", "reference.md", "glossary.md", "cli.md", "metrics.md"} <= named


@pytest.mark.slow
def test_the_site_is_built_with_whole_links(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings", reason="the docs extra is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    pages = list((tmp_path / "site").glob("*.html"))
    assert len(pages) > 10
    loaded = re.compile(r"<(?:script|img|link)[^>]+(?:src|href)=.?https?://(?![^>]*rel=.?canonical)")
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []
    reference = (tmp_path / "site" / "reference.html").read_text(encoding="utf-8")
    assert 'id="monge.score"' in reference
    assert "hypotheses" in reference
