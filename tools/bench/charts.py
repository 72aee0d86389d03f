"""Pictures of figures as SVG: bars and lines, for light and dark pages."""

import html
import math

STYLE = """<style>
.page{fill:#fff}.text{fill:#24292f}.quiet{fill:#57606a}.grid{stroke:#d0d7de}
.c0{fill:#2f6fd0;stroke:#2f6fd0}.c1{fill:#c2570c;stroke:#c2570c}.c2{fill:#5b7083;stroke:#5b7083}
polyline{fill:none!important;stroke-width:2}
@media(prefers-color-scheme:dark){.page{fill:#0d1117}.text{fill:#e6edf3}.quiet{fill:#9198a1}.grid{stroke:#30363d}
.c0{fill:#6ea8fe;stroke:#6ea8fe}.c1{fill:#f0883e;stroke:#f0883e}.c2{fill:#9fb3c8;stroke:#9fb3c8}}
</style>"""
WIDTH, LEFT, RIGHT, TOP = 900, 290, 80, 56


def text(x, y, words, kind="text", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>'


def page(height, title, below, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        STYLE, f'<rect width="{WIDTH}" height="{height}" rx="6" class="page" stroke="none"/>',
        f'<text x="20" y="24" class="text" font-size="15">{html.escape(title)}</text>', text(20, 42, below, "quiet"),
        *parts, "</svg>", ""])


def ticks(least, most):
    """Powers of two from `least` to `most`, at most a dozen."""
    low, high = math.floor(math.log2(least)), math.ceil(math.log2(most))
    return [2.0 ** power for power in range(low, max(high, low + 1) + 1, max(1, (high - low) // 11 + 1))]


def bars(title, below, rows):
    """Horizontal bars of (name, ratio), which begin at 1; ratios below 1 have another color and go to the left."""
    marks = ticks(min(1, *(ratio for _, ratio in rows)), max(1, *(ratio for _, ratio in rows)))
    low, high = math.log2(marks[0]), math.log2(marks[-1])
    height = TOP + 20 * len(rows) + 34

    def place(ratio):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log2(ratio) - low) / (high - low)

    parts = []
    for mark in marks:
        x = place(mark)
        parts += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - 28}" class="grid"/>',
                  text(x, height - 12, f"{mark:g}", "quiet", "middle")]
    for number, (name, ratio) in enumerate(rows):
        y, start, end = TOP + 20 * number, min(place(1), place(ratio)), max(place(1), place(ratio))
        parts += [text(LEFT - 8, y + 14, name, "text", "end"),
                  f'<rect x="{start:.1f}" y="{y + 3}" width="{max(end - start, 1):.1f}" height="14" '
                  f'class="c{0 if ratio >= 1 else 1}" stroke="none"/>', text(end + 6, y + 14, f"{ratio:.2f}")]
    return page(height, title, below, parts)


def lines(title, below, series, label):
    """Lines of (name, [(x, y), ...]) with both axes logarithmic; label(y) names a value."""
    left, height, bottom = 90, 400, 350
    xs, ys = ([point[axis] for _, points in series for point in points] for axis in (0, 1))
    x_marks, y_marks = ticks(min(xs), max(xs)), ticks(min(ys), max(ys))

    def place(value, marks, start, end):
        low, high = math.log2(marks[0]), math.log2(marks[-1])
        return start + (end - start) * (math.log2(value) - low) / (high - low)

    parts = []
    for mark in x_marks:
        parts.append(text(place(mark, x_marks, left, 640), bottom + 20, f"{mark:g}", "quiet", "middle"))
    for mark in y_marks:
        y = place(mark, y_marks, bottom, TOP + 10)
        parts += [f'<line x1="{left}" x2="640" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>',
                  text(left - 8, y + 4, label(mark), "quiet", "end")]
    for number, (name, points) in enumerate(series):
        dots = [(place(x, x_marks, left, 640), place(y, y_marks, bottom, TOP + 10)) for x, y in points]
        parts += [f'<polyline class="c{number % 3}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in dots)}"/>',
                  f'<rect x="655" y="{TOP + 20 * number + 4}" width="12" height="12" class="c{number % 3}"/>',
                  text(673, TOP + 20 * number + 14, name)]
    return page(height, title, below, parts)


def size(count):
    """Returns a number of bytes in words, with three digits."""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= least:
            return f"{count / least:.3g} {unit}"
    return f"{count} bytes"


def sizes(title, below, rows):
    """Horizontal bars of (name, kind, bytes) on a logarithmic axis of powers of ten; a name and kinds that follow each
    other are a group."""
    kinds = list(dict.fromkeys(kind for _, kind, _ in rows))
    low = math.floor(math.log10(min(value for _, _, value in rows)))
    high = math.ceil(math.log10(max(value for _, _, value in rows)))
    height = TOP + 22 * len(rows) + 34
    parts = []

    def place(value):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(value) - low) / max(high - low, 1)

    for power in range(low, high + 1):
        x = place(10 ** power)
        parts += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - 28}" class="grid"/>',
                  text(x, height - 12, size(10 ** power), "quiet", "middle")]
    for number, kind in enumerate(kinds):
        parts += [f'<rect x="{WIDTH - 200 + 100 * number}" y="32" width="12" height="12" class="c{number}"/>',
                  text(WIDTH - 182 + 100 * number, 42, kind)]
    for number, (name, kind, value) in enumerate(rows):
        y = TOP + 22 * number
        if number == 0 or rows[number - 1][0] != name:
            parts.append(text(LEFT - 8, y + 15, name, "text", "end"))
        parts += [f'<rect x="{LEFT}" y="{y + 4}" width="{max(place(value) - LEFT, 1):.1f}" height="14" '
                  f'class="c{kinds.index(kind)}" stroke="none"/>', text(place(value) + 6, y + 15, size(value))]
    return page(height, title, below, parts)
