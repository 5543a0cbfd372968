"""Tables of sensors: read with their units, doubtful lines told by number."""

from pathlib import Path

import numpy as np
import pytest

import science as sci

DATA = Path(__file__).parents[1] / "geometry" / "data"


def test_names_and_units_are_those_of_the_header():
    table = sci.read_table(DATA / "sensors_units.csv")
    assert len(table) == 25
    assert dict(table.units) == {"x": "mm", "T": "degC", "q": "W/m^2"}
    assert table["T"][[0, -1]].tolist() == [80.04, 23.26]


def test_units_convert():
    table = sci.read_table(DATA / "sensors_units.csv").in_units(x="m", T="kelvin")
    assert table["x"][-1] == pytest.approx(1)
    assert table["T"][0] == pytest.approx(353.19)
    assert table.units["x"] == "m"
    with pytest.raises(ValueError, match="from 'mm'"):
        table = sci.read_table(DATA / "sensors_units.csv").in_units(x="second")


def test_semicolons_decimal_commas_and_a_byte_order_mark():
    table = sci.read_table(DATA / "sensors_semicolon_utf8bom.csv")
    assert table.points("x", "y", "u").shape == (20, 3)
    assert table["x"][0] == 0.3837
    with pytest.raises(ValueError, match="has no unit in the file"):
        table.in_units(x="m")


def test_each_doubtful_line_is_told_and_none_dropped_unasked():
    with pytest.raises(sci.TableError) as refusal:
        sci.read_table(DATA / "bad_sensors.csv")
    for words in (
        "line 6: x is NaN (missing)",
        "line 9: T is empty (missing)",
        "line 10: T is -999, far from all others (sentinel)",
        "line 13: the same as line 12 (duplicate)",
        "line 15: 4 cells for 3 columns; a decimal comma",
    ):
        assert words in str(refusal.value)
    with pytest.raises(sci.TableError, match="line 10") as refusal:
        sci.read_table(DATA / "bad_sensors.csv", drop=("missing", "duplicate", "fields"))
    assert "line 6" not in str(refusal.value)


def test_what_is_agreed_to_is_dropped():
    table = sci.read_table(DATA / "bad_sensors.csv", drop="all")
    assert len(table) == 20
    assert [issue.line for issue in table.issues] == [6, 9, 10, 13, 15]
    assert np.isfinite(table.points("x", "T", "q")).all()
    clean = sci.read_table(DATA / "sensors_units.csv")
    rows = np.isin(clean["x"], table["x"])
    assert table["T"].tolist() == clean["T"][rows].tolist()


def test_columns_are_the_data_of_a_statement():
    x = sci.coordinates("x")
    T = sci.field("T", x)
    table = sci.read_table(DATA / "sensors_units.csv")
    data = sci.Data(table.points("x"), {T: table["T"]})
    assert data.points.shape == (25, 1)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "the file is empty"),
        (" \n\n", "the file is empty"),
        ("# a comment\n", "comments only"),
        ("x,y,u\n", "no data rows, only the header x, y, u"),
        ("1,2\n3,4\n", "no header: line 1 holds numbers only"),
        ("x,x\n1,2\n", "names of their own"),
        ("x,y\n1,warm\n", r"line 2: y is 'warm' \(text\)"),
        ("x,y\n1\n", "1 cells for 2 columns"),
        ("x,y\n\0\0\0", "no text file"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(tmp_path, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(sci.TableError, match=message):
        sci.read_table(path)


def test_nothing_left_and_unknown_words_are_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n1,\n")
    with pytest.raises(sci.TableError, match="no data rows left"):
        sci.read_table(path, drop="missing")
    with pytest.raises(ValueError, match="got 'nan'"):
        sci.read_table(path, drop="nan")
    with pytest.raises(FileNotFoundError, match="no file"):
        sci.read_table(tmp_path / "nothing.csv")
    with pytest.raises(sci.TableError, match="is a folder"):
        sci.read_table(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "a (m)\tb\n1\t2\n",
        "a [m] | b\n1 | 2\n",
        "% Windows\r\na [m],b\r\n1,2\r\n\r\n",
        '"a [m]", "b"\n"1", "2"\n',
    ],
)
def test_other_separators(tmp_path, text):
    path = tmp_path / "table.txt"
    path.write_bytes(text.encode())
    table = sci.read_table(path)
    assert (table.points("a", "b").tolist(), table.units["a"]) == ([[1, 2]], "m")


def test_a_common_value_is_no_sentinel(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n0,999\n1,998\n2,1001\n")
    assert len(sci.read_table(path)) == 3
