"""Charts as SVG, without other packages: bars beside each other, lines over an axis. Coordinates are pixels."""
import math
from xml.sax.saxutils import escape

INK, PALE, GRID = "#1b1f24", "#57606a", "#d8dee4"
OURS, THEIRS = "#0b6bcb", "#9aa4af"
LINES = ("#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#57606a")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "4 4")
WIDTH = 820


def text(x, y, words, size=12, anchor="start", color=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
            f'font-weight="{weight}">{escape(words)}</text>')


def line(x1, y1, x2, y2, color=GRID, width=1, dash=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"'
            + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")


def number(value):
    """As a reader wants it: three digits that count."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def ticks(high, about=5):
    """Round numbers from 0 to just above `high`."""
    if not high > 0:
        return [0, 1]
    rough = high / about
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough * 0.999)
    return [i * step for i in range(math.ceil(high / step * 0.999) + 1)]


def decades(low, high):
    """1, 2, 5, 10 and so on from `low` or below to `high` or above; at least two."""
    marks = [m * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
    first = max(i for i, mark in enumerate(marks) if mark <= low * 1.0001)
    last = min(i for i, mark in enumerate(marks) if mark >= high * 0.9999)
    return marks[first : max(last, first + 1) + 1]


def head(title, note):
    """The title and the lines of the note; where what follows begins."""
    rows = note.split("\n")
    parts = [text(16, 28, title, 17, weight="bold")]
    parts += [text(16, 48 + 15 * i, words, 11, color=PALE) for i, words in enumerate(rows)]
    return parts, 51 + 15 * len(rows)


def write(path, height, parts):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
                f'height="{height:.0f}" font-family="Helvetica, Arial, sans-serif">\n'
                f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def bars(path, title, note, panels):
    """Panels one below the other: dict(heading, axis, bars=[dict(label, value, least, most, ours)]).

    A bar without a value says that it failed. Notes may have several lines.
    """
    left, right, row = 210, WIDTH - 90, 24
    parts, y = head(title, note)
    for panel in panels:
        parts.append(text(16, y + 16, panel["heading"], 13, weight="bold"))
        y += 26
        top = max((max(bar["value"], bar.get("most") or 0) for bar in panel["bars"] if bar.get("value") is not None), default=0)
        marks = ticks(top)
        scale, bottom = (right - left) / marks[-1], y + row * len(panel["bars"])
        for mark in marks:
            parts += [line(left + mark * scale, y, left + mark * scale, bottom),
                      text(left + mark * scale, bottom + 14, number(mark), 11, "middle", PALE)]
        parts.append(text((left + right) / 2, bottom + 30, panel["axis"], 11, "middle", PALE))
        for bar in panel["bars"]:
            middle = y + row / 2
            parts.append(text(left - 8, middle + 4, bar["label"], 12, "end"))
            if bar.get("value") is None:
                parts.append(text(left + 4, middle + 4, "failed, see the table", 11, color="#b42318"))
            else:
                end = left + bar["value"] * scale
                parts.append(f'<rect x="{left}" y="{y + 4:.1f}" width="{max(0.5, end - left):.1f}" height="{row - 8}" '
                             f'fill="{OURS if bar.get("ours") else THEIRS}"/>')
                reach = end
                if bar.get("least") is not None and bar["most"] > bar["least"]:
                    reach = max(end, left + bar["most"] * scale)
                    parts.append(line(left + bar["least"] * scale, middle, left + bar["most"] * scale, middle, INK, 1.5))
                parts.append(text(reach + 6, middle + 4, number(bar["value"]), 12))
            y += row
        parts.append(line(left, y - row * len(panel["bars"]), left, y, INK))
        y += 48
    write(path, y, parts)


def lines(path, title, note, panels):
    """Panels one below the other: dict(heading, x, y, log, series={name: [(x, y)]}); `log`: the y axis is logarithmic."""
    left, right, tall = 70, WIDTH - 170, 240
    parts, top = head(title, note)
    for panel in panels:
        parts.append(text(16, top + 16, panel["heading"], 13, weight="bold"))
        top += 28
        points = [point for series in panel["series"].values() for point in series]
        across = ticks(max((x for x, _ in points), default=1), 8)
        values = [y for _, y in points if y > 0] or [1]
        if panel["log"]:
            up = decades(min(values), max(values))
        else:
            up = ticks(max(values))

        def at(x, y, top=top, across=across, up=up, log=panel["log"]):
            share = math.log(max(y, up[0]) / up[0]) / math.log(up[-1] / up[0]) if log else y / up[-1]
            return left + (right - left) * x / across[-1], top + tall * (1 - share)

        for mark in across:
            x, _ = at(mark, up[0])
            parts += [line(x, top, x, top + tall), text(x, top + tall + 15, number(mark), 11, "middle", PALE)]
        for mark in up:
            _, y = at(0, mark)
            parts += [line(left, y, right, y), text(left - 6, y + 4, number(mark), 11, "end", PALE)]
        parts += [text((left + right) / 2, top + tall + 32, panel["x"], 11, "middle", PALE),
                  f'<g transform="rotate(-90 18 {top + tall / 2:.0f})">'
                  + text(18, top + tall / 2, panel["y"], 11, "middle", PALE) + "</g>"]
        for i, (name, series) in enumerate(panel["series"].items()):
            color, dash = LINES[i % len(LINES)], DASHES[i % len(DASHES)]
            placed = [at(x, y) for x, y in series]
            parts.append('<polyline fill="none" stroke-width="2" stroke="{}"{} points="{}"/>'.format(
                color, f' stroke-dasharray="{dash}"' if dash else "", " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)))
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in placed]
            key = top + 14 + 20 * i
            parts += [line(right + 14, key - 4, right + 44, key - 4, color, 2, dash), text(right + 50, key, name, 12)]
        top += tall + 52
    write(path, top, parts)
