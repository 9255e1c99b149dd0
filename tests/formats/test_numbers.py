# SPDX-License-Identifier: GPL-2.0-or-later
"""Every format says the same: its numbers are the JSON report's, to the digits that it prints."""
from decimal import Decimal

import pytest

from readers import READERS
from rendering import FORMATS, SAMPLES, Refused, report, text

# sessions that measured something: each format says at least so many numbers of them
RICH = {"idle": 10, "hell": 10, "repeats": 10, "port": 4, "wide": 4}


def at(report_, place):
    if place[0] == "=":
        return place[1]
    value = report_
    for key in place:
        value = value[key] if value is not None else None
    return value


def agrees(value, printed, unit, rounding="nearest"):
    number = Decimal(printed)
    step = Decimal(1).scaleb(number.as_tuple().exponent) * unit
    off = Decimal(str(value)) - number * unit
    if rounding == "floor":
        return 0 <= off < step
    # a tie may go either way; the JSON report's own last digit is rounded, too
    return abs(off) <= step / 2 + (Decimal("0.0005") if isinstance(value, float) else 0)


def test_every_format_is_read():
    assert sorted(READERS) == sorted(FORMATS), "a new format needs its reader in readers.py"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_numbers(sample, form):
    try:
        data = text(sample, form)
    except Refused:
        return
    whole, n = report(sample), 0
    for place, printed, unit, *rounding in READERS[form](data, whole):
        value = at(whole, place)
        if printed is None:
            assert value is None, (place, value)
            continue
        n += 1
        assert value is not None, (place, printed)
        assert agrees(value, printed, unit, *rounding), (place, value, printed, unit)
    if form != "json":
        assert n >= min(RICH.get(sample, 0), 3 if form.startswith(("svg", "hgrm", "cyclictest")) else 100)


def test_what_is_wrong_is_found():
    """That a wrong digit would be seen."""
    assert agrees(48696, "48.70", 1000) and agrees(48696, "48.696", 1000)
    assert not agrees(48696, "48.71", 1000) and not agrees(48696, "48.695", 1000)
    assert agrees(48696, "48", 1000, "floor") and not agrees(48696, "49", 1000, "floor")
