"""Documents of paragraphs, formulas, tables and pictures, as Markdown and as self-contained HTML.

Formulas in HTML are drawn by Matplotlib and embedded like the pictures, so that a file can be
mailed and read without a network.
"""

from __future__ import annotations

import base64
import functools
import html
import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Math:
    """A formula: LaTeX, and plain text for where that cannot be drawn."""

    latex: str
    text: str


@dataclass(frozen=True)
class Bullets:
    """A list; an item is a sequence of text and `Math`."""

    items: tuple[tuple[str | Math, ...], ...]


@dataclass(frozen=True)
class Table:
    """Columns under a header; those of numbers are aligned to the right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str | Math, ...], ...]


@dataclass(frozen=True)
class Section:
    """A title and its blocks: text, `Bullets`, `Table`."""

    title: str
    blocks: tuple[str | Bullets | Table, ...]


@dataclass(frozen=True)
class Document:
    """A title and sections; prints as Markdown, shows as such in notebooks."""

    title: str
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        return self.markdown()

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def markdown(self, pictures: Mapping[str, str] | None = None) -> str:
        """The document as Markdown; `pictures`: paths or addresses by caption."""
        lines = [f"# {self.title}"]
        for section in self.sections:
            lines += [f"## {section.title}", *map(_markdown_block, section.blocks)]
        if pictures:
            lines += ["## Pictures", *(f"![{name}]({path})" for name, path in pictures.items())]
        return "\n\n".join(lines) + "\n"

    def html(self, pictures: Mapping[str, Any] | None = None) -> str:
        """The document as one HTML page that needs no other file.

        Arguments:
            pictures: by caption, Matplotlib figures, PNG bytes or paths of PNG files.
        """
        body = [f"<h1>{html.escape(self.title)}</h1>"]
        for section in self.sections:
            body += [f"<h2>{html.escape(section.title)}</h2>", *map(_html_block, section.blocks)]
        if pictures:
            body += ["<h2>Pictures</h2>", *(_figure(n, p) for n, p in pictures.items())]
        return _PAGE.format(title=html.escape(self.title), body="\n".join(body))

    def save(self, path: str | os.PathLike, pictures: Mapping[str, Any] | None = None) -> Path:
        """Write the document to a `.md` or `.html` file and return the path.

        Arguments:
            pictures: paths of PNG files by caption, linked from Markdown and embedded in HTML; HTML
                also takes figures and bytes.
        """
        path = Path(path)
        if path.suffix == ".html":
            content = self.html(pictures)
        elif path.suffix == ".md":
            where = {n: os.path.relpath(p, path.parent) for n, p in (pictures or {}).items()}
            content = self.markdown(where)
        else:
            raise ValueError(f"`path` must end in .md or .html; got {str(path)!r}.")
        path.write_text(content, encoding="utf-8")
        return path


def _numeric(table: Table) -> list[bool]:
    """Which columns hold numbers."""
    return [all(map(_is_number, column)) for column in zip(*table.rows, strict=True)]


def _is_number(cell: str | Math) -> bool:
    try:
        float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


# Markdown


def _markdown_block(block: str | Bullets | Table) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, Bullets):
        return "\n".join(f"- {''.join(map(_markdown_piece, item))}" for item in block.items)
    rule = ["---:" if numeric else "---" for numeric in _numeric(block)]
    rows = [block.header, rule, *(map(_markdown_cell, row) for row in block.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _markdown_piece(piece: str | Math) -> str:
    return f"${piece.latex}$" if isinstance(piece, Math) else piece


def _markdown_cell(cell: str | Math) -> str:
    if isinstance(cell, Math):
        latex = cell.latex.replace("|", r"\vert ")  # a bar would end the cell
        return f"${latex}$"
    return cell.replace("|", r"\|")


# HTML

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 56rem; margin: 2rem auto;
        padding: 0 1rem; }}
h1 {{ font-size: 1.7rem; }}
h2 {{ font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #ddd; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ padding: 0.2rem 1.2rem 0.2rem 0; border-bottom: 1px solid #eee; text-align: left; }}
.number {{ text-align: right; }}
img.math {{ vertical-align: -0.3em; max-width: none; }}
figure {{ margin: 1.5rem 0; }}
figure img {{ max-width: 100%; }}
figcaption {{ color: #555; font-size: 0.9rem; }}
code {{ font-size: 0.9rem; }}
</style>
{body}
</html>
"""


def _html_block(block: str | Bullets | Table) -> str:
    if isinstance(block, str):
        return f"<p>{_html_piece(block)}</p>"
    if isinstance(block, Bullets):
        items = "".join(f"<li>{''.join(map(_html_piece, item))}</li>" for item in block.items)
        return f"<ul>{items}</ul>"
    marks = [' class="number"' if numeric else "" for numeric in _numeric(block)]
    rows = [("th", block.header), *(("td", row) for row in block.rows)]
    lines = [
        "".join(f"<{t}{m}>{_html_piece(c)}</{t}>" for c, m in zip(row, marks, strict=True))
        for t, row in rows
    ]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _html_piece(piece: str | Math) -> str:
    if not isinstance(piece, Math):
        return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(piece))
    svg = _drawn(piece.latex)
    if svg is None:
        return f"<code>{html.escape(piece.text)}</code>"
    source = base64.b64encode(svg).decode()
    alternative = html.escape(piece.text, quote=True)
    return f'<img class="math" alt="{alternative}" src="data:image/svg+xml;base64,{source}">'


@functools.lru_cache(maxsize=512)
def _drawn(latex: str) -> bytes | None:
    """The formula as SVG, or None where Matplotlib does not know a command in it."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import math_to_image

    buffer = io.BytesIO()
    try:
        math_to_image(f"${latex}$", buffer, prop=FontProperties(size=12), format="svg")
    except ValueError:
        return None
    return buffer.getvalue()


def _figure(caption: str, picture: Any) -> str:
    source = base64.b64encode(_png(picture)).decode()
    text = html.escape(caption, quote=True)
    return (
        f'<figure><img alt="{text}" src="data:image/png;base64,{source}">'
        f"<figcaption>{text}</figcaption></figure>"
    )


def _png(picture: Any) -> bytes:
    if isinstance(picture, bytes):
        return picture
    if isinstance(picture, str | os.PathLike):
        return Path(picture).read_bytes()
    buffer = io.BytesIO()
    picture.savefig(buffer, format="png", dpi=150, bbox_inches="tight")
    return buffer.getvalue()
