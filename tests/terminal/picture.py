#!/usr/bin/env python3
"""tests/terminal/picture.py COLUMNS <SCREEN >SVG — a terminal's screen, as `tmux capture-pane -e` prints it, as a picture.

Knows bold, dim and reverse, and the sixteen colours. Each run of characters of one style is a <text> stretched to its
columns, so that the lines of a drawing meet whatever font the reader has.
"""
import re
import sys
from html import escape

WIDTH, HEIGHT, MARGIN, SIZE = 8.4, 18, 14, 14
BACKGROUND, FOREGROUND = "#0d1117", "#e6edf3"
COLOURS = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"]
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def apply(style, codes):
    for code in [int(c or 0) for c in codes.split(";")]:
        if code == 0:
            style.clear()
        elif code in (1, 2, 7):
            style[{1: "bold", 2: "dim", 7: "reverse"}[code]] = True
        elif code == 22:
            style.pop("bold", 0), style.pop("dim", 0)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["colour"] = COLOURS[code % 10]
        elif code == 39:
            style.pop("colour", 0)


def draw(text, style, column, row):
    x, y, columns = MARGIN + column * WIDTH, MARGIN + row * HEIGHT, len(text) * WIDTH
    fill = style.get("colour", FOREGROUND)
    if style.get("reverse"):
        print(f'<rect x="{x:.1f}" y="{y}" width="{columns:.1f}" height="{HEIGHT}" fill="{fill}"/>')
        fill = BACKGROUND
    bold = ' font-weight="bold"' if style.get("bold") else ""
    dim = ' opacity="0.6"' if style.get("dim") else ""
    print(f'<text x="{x:.1f}" y="{y + SIZE}" textLength="{columns:.1f}" fill="{fill}"{bold}{dim}>{escape(text)}</text>')


def main():
    columns = int(sys.argv[1])
    rows = sys.stdin.read().rstrip("\n").split("\n")
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * WIDTH + 2 * MARGIN:.0f}" '
          f'height="{len(rows) * HEIGHT + 2 * MARGIN}" font-family="{FONT}" font-size="{SIZE}" xml:space="preserve">')
    print(f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>')
    style = {}
    for number, row in enumerate(rows):
        column = 0
        for part in re.split(r"(\x1b\[[0-9;]*m)", row):
            if part.startswith("\x1b"):
                apply(style, part[2:-1])
                continue
            text = part.rstrip() if not style.get("reverse") else part
            if text.strip():
                lead = len(text) - len(text.lstrip())
                draw(text[lead:], style, column + lead, number)
            column += len(part)
    print("</svg>")


main()
