"""The files of the page: a fixed list, read from the package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_JAVASCRIPT, _CSS = "text/javascript; charset=utf-8", "text/css; charset=utf-8"

# path → package, file, content type
PAGE_FILES: dict[str, tuple[str, str, str]] = {
    "/": ("monge.service", "page/index.html", "text/html; charset=utf-8"),
    "/docs": ("monge.service", "page/docs.html", "text/html; charset=utf-8"),
    "/page/docs.js": ("monge.service", "page/docs.js", _JAVASCRIPT),
    "/page/docs.css": ("monge.service", "page/docs.css", _CSS),
    "/page/app.js": ("monge.service", "page/app.js", _JAVASCRIPT),
    "/page/api.js": ("monge.service", "page/api.js", _JAVASCRIPT),
    "/page/state.js": ("monge.service", "page/state.js", _JAVASCRIPT),
    "/page/variants.js": ("monge.service", "page/variants.js", _JAVASCRIPT),
    "/page/cards.js": ("monge.service", "page/cards.js", _JAVASCRIPT),
    "/page/options.js": ("monge.service", "page/options.js", _JAVASCRIPT),
    "/page/explain.js": ("monge.service", "page/explain.js", _JAVASCRIPT),
    "/page/documents.js": ("monge.service", "page/documents.js", _JAVASCRIPT),
    "/page/compare.js": ("monge.service", "page/compare.js", _JAVASCRIPT),
    "/page/page.css": ("monge.service", "page/page.css", _CSS),
    "/page/icon.svg": ("monge.service", "page/icon.svg", "image/svg+xml"),
    "/page/hover.js": ("monge.report", "assets/hover.js", _JAVASCRIPT),
    "/page/hover.css": ("monge.report", "assets/hover.css", _CSS),
    "/page/report.css": ("monge.report", "page.css", _CSS),
}


@cache
def read_page_file(path: str) -> tuple[bytes, str]:
    """Return content and type of one of the page's files."""
    package, name, kind = PAGE_FILES[path]
    return files(package).joinpath(*name.split("/")).read_bytes(), kind
