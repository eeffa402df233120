"""How results show themselves in notebooks."""

from __future__ import annotations


class Displayed:
    """A result that Jupyter and other notebooks show as HTML.

    How it looks is decided by the reports, which know all results; they are found through the package itself.
    """

    def _repr_html_(self) -> str:
        import monge

        return monge.render_html(self)
