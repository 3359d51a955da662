"""`selectron send`: a file gets there once, whatever happens on the way."""

import codecs
import gzip
import json
import os
import subprocess
import sys
from contextlib import closing

import httpx2
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from selectron import SelectronError
from selectron.cli import main
from selectron.serve import sending
from selectron.serve.sending import Lines, Sender, items, resumed

from .mail import declared

ROWS = [{"text": f"row {i}", "nr": i} for i in range(1200)]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def sender(live):
    with closing(Sender(f"{live.url}/v1/streams/mail", live.tokens["ingest"])) as one:
        yield one


class Unsteady(httpx2.HTTPTransport):
    """Loses requests and replies, and then ends for good."""

    def __init__(self, left):
        super().__init__()
        self.left, self.sent = left, 0

    def handle_request(self, request):
        self.sent += 1
        if self.sent > self.left:
            raise httpx2.ConnectError("the line is cut")
        if self.sent % 3 == 1:
            raise httpx2.ConnectError("lost on the way")
        response = super().handle_request(request)
        if self.sent % 3 == 2:
            raise httpx2.ReadError("lost on the way back")
        return response


@pytest.mark.slow
def test_it_gets_there_once_and_resumes(live, sender, file, monkeypatch):
    monkeypatch.setattr(sending.time, "sleep", lambda seconds: None)
    found = list(items(file.read_bytes().splitlines(), "rows", None))
    keys = [line.id for line in found]
    assert resumed(sender, keys, "rows") == 0
    client = httpx2.Client(transport=Unsteady(5))
    warned: list[str] = []
    unsteady = Sender(sender.url, live.tokens["ingest"], client, warned.append)
    with closing(unsteady), pytest.raises(SelectronError, match="the line is cut"):
        sending.send_all(unsteady, found, lambda n: None, print)
    assert warned[0] == f"{sender.url}/batch: lost on the way; trying again for a minute"
    start = resumed(sender, keys, "rows")
    assert start == 1000  # two batches of 500, the second without a reply
    done = sending.send_all(sender, found[start:], lambda n: None, print)
    assert done == (200, 200)
    assert resumed(sender, keys, "rows") == 1200
    assert live.host.views["mail"]["items"] == 1200


def test_the_command(live, file):
    arguments = ["send", str(file), "--to", f"{live.url}/v1/streams/mail", "--id", "nr"]
    token = {"SELECTRON_TOKEN": live.tokens["ingest"]}
    before = live.host.views["mail"]["items"]
    first = CliRunner().invoke(main, arguments, env=token)
    assert first.stdout == "1,200 new items, 1,200 of them asked for\n"
    for more in ([], ["--again"]):
        again = CliRunner().invoke(main, [*arguments, *more], env=token)
        assert again.stdout == "0 new items, 0 of them asked for\n"
    newest_first = file.with_name("newest.jsonl")
    newest_first.write_bytes(b'{"nr": 5000, "text": "new"}\n' + file.read_bytes())
    again = CliRunner().invoke(main, [arguments[0], str(newest_first), *arguments[2:]], env=token)
    assert again.stdout == "1 new item, 1 of them asked for\n"
    assert live.host.views["mail"]["items"] == before + 1201
    for wrong in (["--id", "none"], ["--to", f"{live.url}/v1/streams/none"]):
        refused = CliRunner().invoke(main, [*arguments, *wrong], env=token)
        assert refused.exit_code == 1
        assert refused.stderr.count("\n") == 1
    assert "a stream is at http://HOST:PORT/v1/streams/NAME" in refused.stderr
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_lines_that_the_stream_refuses(live, tmp_path):
    rows = [{"text": f"odd {i}"} for i in range(700)]
    rows[40], rows[600] = {"text": 5}, {"body": "no text"}
    file = tmp_path / "odd.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    arguments = ["send", str(file), "--to", f"{live.url}/v1/streams/mail"]
    token = {"SELECTRON_TOKEN": live.tokens["ingest"]}
    first = CliRunner().invoke(main, arguments, env=token)
    assert first.exit_code == 1
    assert first.stdout == "698 new items, 698 of them asked for\n"
    assert [line for line in first.stderr.splitlines() if line.startswith("selectron")] == [
        "selectron: odd.jsonl, line 41 (and 1 more): An item must have text in 'text'.",
        "selectron: 2 lines were refused: correct them, and send the file with --again",
    ]
    rows[40], rows[600] = {"text": "mended"}, {"text": "too"}
    file.write_text("\n".join(map(json.dumps, rows)))
    for more, new in (([], 0), (["--again"], 2)):
        done = CliRunner().invoke(main, [*arguments, *more], env=token)
        assert done.exit_code == 0
        assert done.stdout == f"{new} new items, {new} of them asked for\n"


@pytest.mark.parametrize("piped", [False, True])
def test_many_lines_for_one_reason_and_for_many(site, tmp_path, piped):
    """Each reason is one line, without the value; of a pipe, each line is shown as it comes."""
    one, file = site(declared(features={"kind": "vector", "size": 1})), tmp_path / "odd.jsonl"
    rows = [{"vector": [str(i)]} for i in range(30)] + [{"vector": []}]
    arguments = ["--to", f"{one.url}/v1/streams/mail", "--token", one.tokens["ingest"]]
    text = "\n".join(map(json.dumps, rows))
    file.write_text(text)
    command = [sys.executable, "-m", "selectron", "send", "-" if piped else file, *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    shown = [line for line in done.stderr.splitlines() if line.startswith("selectron: ")]
    assert shown[-1].startswith("selectron: 31 lines were refused")
    assert len(shown) == (32 if piped else 3)
    assert piped or shown[:2] == [
        "selectron: odd.jsonl, line 1 (and 29 more): 'vector' must hold numbers, got \"0\".",
        "selectron: odd.jsonl, line 31: 'vector' must be a list of 1 numbers.",
    ]
    rows = [{"vector": [1], "y": f"eggs {i}"} for i in range(30)]
    file.write_text("\n".join(map(json.dumps, rows)))
    command = ["send", str(file), "--label", "y", "--name", "b", *arguments]
    done = CliRunner().invoke(main, command)
    assert done.stderr.count("There is no class") == 10
    assert "selectron: other lines were refused for 20 more reasons\n" in done.stderr


def test_another_file_of_the_same_name(live, tmp_path):
    file, url = tmp_path / "log.jsonl", f"{live.url}/v1/streams/mail"
    arguments = ["send", str(file), "--to", url, "--token", live.tokens["ingest"]]
    for day, more in ((1, []), (2, []), (2, ["--name", "second"])):
        file.write_text("\n".join(f"day {day}, {i}" for i in range(30 * day)))
        before = live.host.views["mail"]["items"]
        done = CliRunner().invoke(main, [*arguments, *more])
        if day == 2 and not more:
            assert done.exit_code == 1
            assert "line 30: There is another item with the id 'log.jsonl:30'" in done.stderr
            assert "another --name" in done.stderr
        else:
            assert done.stdout.startswith(f"{30 * day} new items, ")
        new = live.host.views["mail"]["items"] - before
        assert new == (0 if done.exit_code else 30 * day)


def test_ids_that_the_stream_refuses(live, tmp_path):
    file, url = tmp_path / "ids.jsonl", f"{live.url}/v1/streams/mail"
    ids = ["one", "", "y" * 201]
    file.write_text("\n".join(json.dumps({"id": name, "text": "a"}) for name in ids))
    arguments = ["send", str(file), "--to", url, "--token", live.tokens["ingest"], "--id", "id"]
    for new in ("1 new item, ", "0 new items, "):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 1
        assert done.stdout.startswith(new)
        assert "ids.jsonl, line 2: id: " in done.stderr
        assert "ids.jsonl, line 3: id: " in done.stderr
    with pytest.raises(SelectronError, match="no text or number in the field 'id'"):
        list(items([b'{"id": true}'], "rows", "id"))


@pytest.mark.parametrize(
    ("field", "ids"), [(None, ["a", "5", "rows:3"]), ("nr", ["a", "1", "2"]), ("id", ["a", "5"])]
)
def test_lines_with_an_id_and_data_keep_the_id(field, ids):
    rows = [{"id": "a", "data": {}}, {"data": {"nr": 1}, "id": 5}, {"data": {"nr": 2}}]
    lines = [json.dumps(row).encode() for row in rows[: len(ids)]]
    assert [json.loads(line.text)["id"] for line in items(lines, "rows", field)] == ids
    lines[0] = codecs.BOM_UTF8 + lines[0]
    assert [json.loads(line.text)["id"] for line in items(lines, "rows", field)] == ids


def test_what_comes_before_a_line_that_will_not_do_is_sent():
    lines = [b"%d" % i for i in range(502)] + [b'{"a": NaN}', b"never"]
    found = sending.batches(items(lines, "stdin", None))
    assert [len(next(found)), len(next(found))] == [500, 2]
    with pytest.raises(SelectronError, match="stdin, line 503"):
        next(found)


def test_damaged_lines_are_reported_and_the_rest_is_sent(live, tmp_path):
    file, url = tmp_path / "damaged.jsonl", f"{live.url}/v1/streams/mail"
    lines = [json.dumps({"text": f"damaged {i}"}).encode() for i in range(5)]
    file.write_bytes(b"\n".join([*lines[:2], b'{"text": "cut', *lines[2:4], b"\xff", lines[4]]))
    arguments = ["send", str(file), "--to", url, "--token", live.tokens["ingest"]]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert done.stdout.startswith("5 new items, ")
    found = [line for line in done.stderr.splitlines() if line.startswith("selectron")]
    assert [line[:37] for line in found] == [
        "selectron: damaged.jsonl, line 3: The",
        "selectron: damaged.jsonl, line 6: the",
        "selectron: 2 lines were refused: corr",
    ]
    file.write_bytes(b"\n".join([*lines[:2], b'{"text": "whole"}', *lines[2:4], b"", lines[4]]))
    assert CliRunner().invoke(main, [*arguments, "--again"]).stdout.startswith("1 new item, ")
    file.write_bytes(b"\n".join([b'{"text":', *lines]))
    other = CliRunner().invoke(main, [*arguments, "--name", "other"])
    assert other.stdout == ""
    assert other.stderr.startswith("selectron: other, line 1: ")


def test_lines_of_a_pipe_do_not_wait_for_others():
    out, into = os.pipe()
    with open(out, "rb", buffering=0) as file, open(into, "wb", buffering=0) as writer:
        lines = Lines(file)
        found = sending.batches(items(lines, "stdin", None), lines.more)
        for text, ids in ((b"a\nb\n\n", [1, 2]), (b"\nc\n", [5]), (b"d" * 9000 + b"\n", [6])):
            writer.write(text)
            assert [line.id for line in next(found)] == [f"stdin:{i}" for i in ids]
        writer.write(b"the rest")
        writer.close()
        assert [[line.id for line in batch] for batch in found] == [["stdin:7"]]


def test_lines_that_will_not_do():
    with pytest.raises(SelectronError, match=r"rows, line 2: .*NaN"):
        list(items([b"fine", b'{"a": NaN}'], "rows", None))
    with pytest.raises(SelectronError, match=r"rows, line 1: the text is not UTF-8: give its"):
        list(items([b"\x1f\x8b\x08"], "rows", None))
    for line in (b"[", b'[{"a": 1}, {"a": 2}]', b" [ {"):
        with pytest.raises(SelectronError, match="rows, line 1: a JSON array begins; put each"):
            list(items([line], "rows", None))
    assert len(list(items([b"[INFO] started", b"[1]"], "rows", None))) == 2


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "jsonl.gz"])
def test_a_table(live, tmp_path, ending):
    """Its rows are items, with blanks as null, and without fields to ignore."""
    path, url = tmp_path / f"a.{ending}", f"{live.url}/v1/streams/mail"
    rows = [{"key": f"{ending}{i}", "n": i or None, "text": "win, now", "y": 1} for i in range(9)]
    table = pa.Table.from_pylist(rows)
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        if "csv" in ending:
            pa_csv.write_csv(table, path.with_suffix(""))
            text = path.with_suffix("").read_text()
        path.write_bytes(gzip.compress(text.encode()) if "gz" in ending else text.encode())
    arguments = ["send", str(path), "--to", url, "--token", live.tokens["ingest"]]
    arguments += ["--ignore", "y"]
    for new in (9, 0):
        sent = CliRunner().invoke(main, [*arguments, "--id", "key"])
        assert sent.stdout == f"{new} new items, {new} of them asked for\n", sent.stderr
    headers = live.headers("read")
    found = httpx2.get(f"{url}/items?id={ending}5", headers=headers).json()["content"]
    assert found == {"key": f"{ending}5", "n": "5" if "csv" in ending else 5, "text": "win, now"}
    blank = httpx2.get(f"{url}/items?id={ending}0", headers=headers).json()["content"]
    assert blank["n"] in (None, "")
    unit = "line" if "jsonl" in ending else "row"
    wrong = CliRunner().invoke(main, [*arguments, "--id", "none"])
    assert wrong.exit_code == 1
    assert f"{unit} 1 has no text or number in the field 'none'" in wrong.stderr
    wrong = CliRunner().invoke(
        main, [*arguments, "--id", "key", "--name", "b", "--ignore", "lable"]
    )
    assert wrong.exit_code == 1
    assert f"a.{ending}: no {unit} has a field 'lable' to be ignored" in wrong.stderr


def test_decimal_commas_are_sent_as_numbers(site, tmp_path):
    """As text, a stream that had points took "1,250" as 1250, and "0,5" as blank."""
    one, file = site(declared(features={"kind": "auto"}, learner="perceptron")), tmp_path / "a.csv"
    arguments = ["--to", f"{one.url}/v1/streams/mail", "--token", one.tokens["ingest"]]
    for rows, sentence in (
        (["x;id;code", *(f"{i / 8:.3f};{i};{i},5" for i in range(120))], "'code'"),
        (["x;id;code", *(f"1,{i:03d};{i},0;{i}" for i in range(110)), "0,5;a;n/a"], "'x'"),
    ):
        file.write_text("\n".join(rows))
        command = ["send", str(file), "--id", "id", "--name", sentence, *arguments]
        done = CliRunner().invoke(main, command)
        assert f"a.csv: sent as numbers, with a decimal comma: {sentence}\n" in done.stderr
    url = f"{one.url}/v1/streams/mail"

    def sent(key):
        return httpx2.get(f"{url}/items?id={key}", headers=one.headers()).json()["content"]

    assert sent("5") == {"x": "0.625", "id": "5", "code": 5.5}
    assert sent("7,0") == {"x": 1.007, "id": "7,0", "code": "7"}
    assert sent("a")["x"] == 0.5
    assert httpx2.get(url, headers=one.headers()).json()["columns"][0] == "x: number"


def test_doubts_about_a_table_are_shown_once(live, tmp_path):
    path = tmp_path / "stray.csv"
    quotes = ['"' * (i in (3, 7)) for i in range(20)]
    path.write_text("n,text,m\n" + "".join(f"{i},{quotes[i]}big thing,{i}\n" for i in range(20)))
    arguments = ["send", str(path), "--to", f"{live.url}/v1/streams/mail"]
    sent = CliRunner().invoke(main, [*arguments, "--token", live.tokens["ingest"]])
    assert sent.stderr.count("line 5 opens a quote that line 9 closes") == 1


def test_a_damaged_line_of_a_compressed_file(live, tmp_path):
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "gz 1"}\n{"text":\n{"text": "gz 3"}\n'))
    arguments = ["send", str(path), "--to", f"{live.url}/v1/streams/mail"]
    sent = CliRunner().invoke(main, [*arguments, "--token", live.tokens["ingest"]])
    assert sent.stdout == "2 new items, 2 of them asked for\n"
    assert "cut.jsonl.gz, line 2" in sent.stderr
    path.write_bytes(path.read_bytes()[:-12])
    cut = CliRunner().invoke(main, [*arguments, "--token", live.tokens["ingest"]])
    assert cut.exit_code == 1
    assert "cut.jsonl.gz: the gzip data end too early" in cut.stderr


def test_ids_that_are_whole_numbers_with_a_point():
    assert next(items([b'{"id": 1.0, "text": "a"}'], "rows", "id")).id == "1"


def test_rows_without_names(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 3:0.5\n")
    result = CliRunner().invoke(
        main, ["send", str(path), "--to", "http://127.0.0.1:1", "--token", "t"]
    )
    assert result.exit_code == 1
    assert "has no names of fields: give CSV, Parquet or JSON lines" in result.stderr


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (httpx2.Response(301, headers={"location": "https://x/"}), "is at https://x/: give that"),
        (httpx2.Response(200, text="<html>"), "this is no server of Selectron's"),
    ],
)
def test_another_server_answers(reply, message):
    client = httpx2.Client(transport=httpx2.MockTransport(lambda request: reply))
    with pytest.raises(SelectronError, match=message):
        Sender("http://localhost/v1/streams/a", "token", client).send(["{}"])


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "jsonl.gz"])
def test_known_labels_are_sent_as_answers(site, tmp_path, ending):
    """Each before the next item; not again; refusals have their line, and can be corrected."""
    one, path = site(declared(budget="30%")), tmp_path / f"old.{ending}"

    def write(labels):
        rows = [{"text": f"win {i}", "y": label} for i, label in enumerate(labels)]
        table = pa.Table.from_pylist(rows)
        if ending == "parquet":
            pq.write_table(table, path)
        elif ending == "csv":
            pa_csv.write_csv(table, path)
        else:
            text = "".join(json.dumps(row) + "\n" for row in rows).encode()
            path.write_bytes(gzip.compress(text) if "gz" in ending else text)

    def sent(*more):
        url = f"{one.url}/v1/streams/mail"
        arguments = ["send", str(path), "--to", url, "--token", one.tokens["ingest"], *more]
        return CliRunner().invoke(main, arguments)

    def answers():
        url = f"{one.url}/v1/streams/mail/answers?limit=200"
        found = httpx2.get(url, headers=one.headers("read")).json()["answers"]
        return [(row["id"].split(":")[1], row["label"]) for row in reversed(found)]

    labels = ["ham", "spam", None, "eggs", " spam "] * 4
    write(labels)
    refused = sent("--label", "lable")
    unit = "line" if "jsonl" in ending else "row"
    assert f"no {unit} has a field 'lable' with labels" in refused.stderr
    assert (refused.exit_code, one.host.views["mail"]["items"]) == (1, 0)
    first = sent("--label", "y")
    assert (first.exit_code, first.stdout[:13]) == (1, "20 new items,")
    assert f"old.{ending}, {unit} 4 (and 3 more): There is no class 'eggs'" in first.stderr
    assert f"4 {unit}s were refused" in first.stderr
    known = [(str(i), x.strip()) for i, x in enumerate(labels, 1) if x not in (None, "eggs")]
    assert answers() == known
    kept = httpx2.get(f"{one.url}/v1/streams/mail/items/1", headers=one.headers()).json()
    assert (kept["content"], kept["truth"]) == ({"text": "win 0"}, "ham")
    assert one.host.views["mail"]["predicted"] == 19  # all but the first: each label is learned
    assert sent("--label", "y").exit_code == 0  # what was sent is skipped
    assert answers() == known
    write(["ham" if x == "eggs" else x for x in labels])
    again = sent("--label", "y", "--again")
    assert (again.exit_code, again.stdout[:12]) == (0, "0 new items,")
    assert answers()[len(known) :] == [(str(i), "ham") for i in (4, 9, 14, 19)]


def test_a_label_that_is_no_label():
    lines, refused = [b'{"text": "a", "y": 1.0}', b'{"text": "b", "y": [1]}'], []
    found = list(items(lines, "rows", None, refused.append, {"y": 0}, label="y"))
    assert [line.label for line in found] == ["1"]
    assert refused == ["rows, line 2: y: the label is neither text nor a number"]
