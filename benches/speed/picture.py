"""BENCHMARKS.svg from the results: a bar for each row, with its target as a notch, for light and dark pages."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from rows import Row, from_json

LINE, LEFT, SCALE, MOST = 20, 470, 210, 1.6
WIDTH = LEFT + int(MOST * SCALE) + 60

# It has its own background: a page may be light although the reader prefers dark.
STYLE = """
.ground { fill: #ffffff }
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600 } .small { fill: #59636e }
.met { fill: #2da44e } .ahead { fill: #bf8700 } .behind { fill: #cf222e }
.grid { stroke: #59636e; stroke-dasharray: 3 3 } .notch { stroke: #1f2328; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #9198a1 } .notch { stroke: #e6edf3 }
.met { fill: #3fb950 } .ahead { fill: #d29922 } .behind { fill: #f85149 }
}
""".strip().replace("\n", " ")


def shown(row: Row) -> bool:
    """Client CPU is in the table, and here only for the threads."""
    return row.target is not None and (row.figure != "client CPU" or "threads" in row.work)


def draw(results: dict[str, Any]) -> str:
    rows = [row for section in results["rows"].values() for row in map(from_json, section) if shown(row)]
    works = list(dict.fromkeys(row.work for row in rows))
    height = 74 + LINE * (len(rows) + len(works)) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-label="libpaysvc against its peers">',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="6"/>',
        f'<text class="head" x="10" y="20">libpaysvc / peer, {results["date"]}</text>',
        '<text class="small" x="10" y="38">shorter is better, except for calls a second; notch: target; green: met, '
        "amber: missed but ahead, red: the peer is ahead</text>",
    ]
    bottom, y = height - 8, 72
    for mark in (0.5, 1.0, 1.5):
        x = LEFT + mark * SCALE
        parts.append(f'<line class="grid" x1="{x:.0f}" x2="{x:.0f}" y1="66" y2="{bottom}"/>')
        parts.append(f'<text class="small" x="{x:.0f}" y="62" text-anchor="middle">{mark:g}</text>')
    for work in works:
        parts.append(f'<text class="head" x="10" y="{y + 14}">{escape(work)}</text>')
        y += LINE
        for row in (row for row in rows if row.work == work):
            parts += bar(row, y)
            y += LINE
    return "\n".join([*parts, "</svg>"]) + "\n"


def bar(row: Row, y: int) -> list[str]:
    assert row.target is not None
    verdict = row.verdict()
    kind = "met" if verdict == "met" else "ahead" if "ahead of the peer" in verdict else "behind"
    width = min(row.ratio.median, MOST) * SCALE
    notch = LEFT + row.target * SCALE
    figure = {"wall": "", "files": "", "Rss": ""}.get(row.figure, f", {row.figure}")
    return [
        f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(row.against + figure)}</text>',
        f'<rect class="{kind}" x="{LEFT}" y="{y + 3}" width="{width:.0f}" height="{LINE - 6}"/>',
        f'<line class="notch" x1="{notch:.0f}" x2="{notch:.0f}" y1="{y + 1}" y2="{y + LINE - 1}"/>',
        f'<text x="{max(LEFT + width, notch) + 6:.0f}" y="{y + 14}">{row.ratio.median:.2f}</text>',
    ]
