# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots and pages as their readers' programs see them: parsed, rendered to pixels, printed."""
import collections
import itertools
import os
import re
import shutil
import subprocess

import pytest

import png

BUILD = os.environ["LRTBF_BUILD"]
RENDER = os.path.join(BUILD, "tests", "formats", "render-sample")
SAMPLES = subprocess.run([RENDER], check=True, capture_output=True, text=True).stdout.split()
DARK = re.compile(r"@media screen and \(prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}")
WHITE, NIGHT = (255, 255, 255), (0x15, 0x19, 0x1e)
LIGHT_BLUE, DARK_BLUE = (0x00, 0x72, 0xb2), (0x4a, 0xa8, 0xe8)


def needs(*tools):
    for tool in tools:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")


def render(*words):
    return subprocess.run([RENDER, *words], check=True, capture_output=True).stdout


def pixels(svg, tmp_path, sheet=None):
    needs("rsvg-convert")
    (tmp_path / "in.svg").write_bytes(svg)
    words = ["rsvg-convert"]
    if sheet:
        (tmp_path / "sheet.css").write_text(sheet)
        words += ["--stylesheet", tmp_path / "sheet.css"]
    out = subprocess.run([*words, tmp_path / "in.svg"], check=True, capture_output=True)
    assert out.stderr == b""
    return png.read(out.stdout)


def dark_sheet(svg):
    """What a dark reader's browser takes from it, as a user's sheet must say it."""
    return re.sub(r"([^{};]):([^{};]+)", r"\1:\2 !important", DARK.search(svg.decode()).group(1)
                  .replace("{", " {\n").replace("}", "\n}\n"), flags=re.M)


def counted(rows):
    return collections.Counter(itertools.chain.from_iterable(rows))


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("form", ["svg", "html"])
def test_well_formed(sample, form, tmp_path):
    needs("xmllint")
    path = tmp_path / f"report.{form}"
    path.write_bytes(render(sample, form))
    subprocess.run(["xmllint", "--noout", "--nonet", path], check=True)


@pytest.mark.parametrize("sample", SAMPLES)
def test_light(sample, tmp_path):
    svg = render(sample, "svg")
    width, height, rows = pixels(svg, tmp_path)
    view = re.search(rb'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', svg)
    assert width == round(float(view[1]))
    assert abs(height - float(view[2])) <= 1
    colours = counted(rows)
    assert colours[WHITE] > width * height / 2
    # something is on it: at least its title
    assert width * height - colours[WHITE] > 500
    if b"Nothing to draw" not in svg:
        assert colours[LIGHT_BLUE] > 50
    # nothing is cut off at the edges
    for row in rows:
        assert row[0] == row[1] == row[-1] == row[-2] == WHITE


@pytest.mark.parametrize("sample", ["idle", "repeated", "wide", "tail", "open", "silent"])
def test_dark(sample, tmp_path):
    svg = render(sample, "svg")
    width, height, rows = pixels(svg, tmp_path, dark_sheet(svg))
    colours = counted(rows)
    assert colours[NIGHT] > width * height / 2
    assert colours[WHITE] == 0
    assert colours[LIGHT_BLUE] == 0
    if b"Nothing to draw" not in svg:
        assert colours[DARK_BLUE] > 100


def test_one_sample_has_its_place(tmp_path):
    """12.345 us on an axis from 10 to 20 us: the curve falls there, and nowhere else."""
    svg = render("one", "svg", "ccdf")
    steps = re.findall(rb'class="lp-l lp-s0" d="M78 [0-9.]+H[0-9.]+H([0-9.]+)V', svg)
    assert steps == [b"305.95"]  # 78 + 750 * ln(1.2345) / ln(2)
    _, _, rows = pixels(svg, tmp_path)
    bluish = [sum(b > r + 60 and r < 120 for r, g, b in (row[x] for row in rows)) for x in range(860)]
    tallest = max(range(860), key=bluish.__getitem__)
    assert bluish[tallest] > 200 and abs(tallest - 305.95) < 2


def test_open_end_goes_on(tmp_path):
    svg = render("open", "svg", "ccdf")
    assert b"9 samples took 500.0 us or more" in svg
    _, _, rows = pixels(svg, tmp_path)
    # the arrow's head at the right edge of the frame
    assert sum(row[x] == LIGHT_BLUE for row in rows for x in range(818, 830)) >= 4


def test_wide_is_small():
    svg = render("wide", "svg")
    assert len(svg) < 512 * 1024
    assert len(render("wide", "html")) < 2 * 1024 * 1024
    assert b"CPU 248" in svg


def _linear(colour):
    for v in colour:
        v /= 255
        yield v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def _contrast(a, b):
    lum = sorted(0.2126 * r + 0.7152 * g + 0.0722 * bl for r, g, bl in map(_linear, (a, b)))
    return (lum[1] + 0.05) / (lum[0] + 0.05)


def _lab(linear):
    r, g, b = linear
    xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
           (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (max(c, 0) for c in xyz))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


# F. Vienot, H. Brettel, J. Mollon, 1999: what is left of linear RGB without one kind of cones.
SIGHT = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deuteranopia": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
}


def _seen(colour, sight):
    rgb = tuple(_linear(colour))
    return _lab([sum(m * v for m, v in zip(row, rgb)) for row in SIGHT[sight]])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("dark", [False, True])
def test_colours_can_be_told(sight, dark):
    sheet = re.search(r"<style>(.*?)</style>", render("idle", "svg").decode(), re.S)[1]
    night = DARK.search(sheet).group(1)
    sheet = night if dark else sheet.replace(night, "")
    series = [tuple(bytes.fromhex(c)) for c in
              re.findall(r"\.lp-s\d\{stroke:#([0-9a-f]{6})", sheet)]
    assert len(series) == 8
    for colour in series:
        assert _contrast(colour, NIGHT if dark else WHITE) >= 3
    # the first four, which most plots have, by colour alone; all others by their dashes too
    for a, b in itertools.combinations(series[:4], 2):
        distance = sum((p - q) ** 2 for p, q in zip(_seen(a, sight), _seen(b, sight))) ** 0.5
        assert distance > 12, (a, b)
    assert len(set(series)) == 8


@pytest.mark.parametrize("sample", ["hell", "tail", "hostile", "silent"])
def test_paper(sample, tmp_path):
    needs("weasyprint", "pdftoppm", "pdftotext")
    html, pdf = tmp_path / "report.html", tmp_path / "report.pdf"
    html.write_bytes(render(sample, "html"))
    subprocess.run(["weasyprint", "--quiet", html, pdf], check=True, capture_output=True)
    subprocess.run(["pdftoppm", "-r", "50", "-png", pdf, tmp_path / "page"], check=True)
    pages = sorted(tmp_path.glob("page*.png"))
    blue = 0
    for page in pages:
        width, height, rows = png.read(page.read_bytes())
        colours = counted(rows)
        assert 413 <= width <= 414 and height == 585  # A4
        assert width * height * 0.995 > colours[WHITE] > width * height / 2
        blue += sum(n for (r, g, b), n in colours.items() if b > r + 60 and b > g + 20)
        # margins are free: nothing runs off the paper
        assert all(p == WHITE for row in rows for p in row[:15] + row[-15:])
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True,
                          text=True).stdout
    assert "Latency report" in text and "Stage 1 of" in text
    if sample == "hell":
        assert "BROKEN" in text and "What would make these numbers stronger" in text
        assert "1000250.0" in text
    if sample != "silent":
        assert blue > 300


def test_page_asks_for_nothing():
    page = render("hell", "html").decode()
    assert "<script" not in page
    assert not re.search(r"(href|src|action)=", page)
    assert set(re.findall(r"https?://[^\"' <]+", page)) == {
        "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"}
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 10
