# SPDX-License-Identifier: GPL-2.0-or-later
"""openmetrics as Prometheus's tools, its node exporter and the strict parser of its client take it."""
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from readers import metric_lines
from rendering import SAMPLES, needs, report, text

parser = pytest.importorskip("prometheus_client.openmetrics.parser")


@pytest.mark.parametrize("sample", SAMPLES)
def test_strict(sample):
    data = text(sample, "openmetrics")
    assert data.endswith("\n# EOF\n") and data.count("\n# EOF\n") == 1
    families = list(parser.text_string_to_metric_families(data))
    ours = [(n, tuple(sorted(labels.items()))) for n, labels, _ in metric_lines(data)]
    theirs = [(s.name, tuple(sorted(s.labels.items()))) for f in families for s in f.samples]
    assert sorted(ours) == sorted(theirs)
    assert len(set(ours)) == len(ours), "the same series twice"
    for family in families:
        assert family.type == "gauge" and family.documentation and family.samples
        assert (family.unit == "seconds") == family.name.endswith("_seconds")
        assert all(s.timestamp is None for s in family.samples)


@pytest.mark.parametrize("sample", SAMPLES)
def test_promtool(sample):
    needs("promtool")
    done = subprocess.run(["promtool", "check", "metrics"], input=text(sample, "openmetrics").encode(),
                          capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_labels_come_through():
    for sample in [s for s in SAMPLES if s.startswith("hostile-")]:
        label = report(sample)["session"]["label"]
        family = next(parser.text_string_to_metric_families(text(sample, "openmetrics")))
        got = family.samples[0].labels["label"]
        want = "".join("\ufffd" if c in "\u2028\u2029" or (c < " " and c != "\n") or
                       "\x7f" <= c <= "\x9f" else c for c in label)
        assert got == want


def test_verdict_is_one():
    for sample in SAMPLES:
        verdicts = {labels["verdict"]: value for name, labels, value in
                    metric_lines(text(sample, "openmetrics")) if name == "lrtbf_session_verdict"}
        word = report(sample)["session"]["verdict"]
        if word == "":
            assert verdicts == {}
        else:
            assert verdicts == {w: "1" if w == word else "0"
                                for w in ("none", "pass", "inconclusive", "fail")}


@pytest.fixture
def exporter(tmp_path):
    """What a node exporter of our folder says; ended again."""
    needs("prometheus-node-exporter")
    folder = tmp_path / "textfile"
    folder.mkdir()
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    daemon = subprocess.Popen(
        ["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{port}",
         "--collector.disable-defaults", "--collector.textfile",
         f"--collector.textfile.directory={folder}", "--web.disable-exporter-metrics"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def scrape():
        end = time.monotonic() + 20
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
                    return page.read().decode()
            except urllib.error.HTTPError:
                raise
            except OSError:
                assert daemon.poll() is None and time.monotonic() < end, "it does not listen"
                time.sleep(0.1)
    try:
        yield folder, scrape
    finally:
        daemon.terminate()
        daemon.communicate(timeout=20)


def test_textfile_collector(exporter):
    """One file at a time, each as its plan's newest session would be."""
    folder, scrape = exporter
    for sample in SAMPLES:
        path = folder / "lrtbf.prom"
        data = text(sample, "openmetrics")
        (folder / "next").write_text(data, newline="")
        os.rename(folder / "next", path)
        page = scrape()
        assert "node_textfile_scrape_error 0\n" in page, sample
        theirs = {(n, tuple(sorted((k, v) for k, v in labels.items() if v))): float(value)
                  for n, labels, value in metric_lines(page) if n.startswith("lrtbf")}
        ours = {(n, tuple(sorted((k, v) for k, v in labels.items() if v))): float(value)
                for n, labels, value in metric_lines(data)}
        assert theirs == ours, sample


def test_textfile_collector_several(exporter):
    """Files of several plans beside each other: help and type of a name must be the same in all."""
    folder, scrape = exporter
    for i, sample in enumerate(("hell", "port", "thinned", "overhead", "running", "gaps")):
        data = text(sample, "openmetrics").replace('plan="sample"', f'plan="p{i}"')
        (folder / f"{sample}.prom").write_text(data, newline="")
    page = scrape()
    assert "node_textfile_scrape_error 0\n" in page
    assert len({labels["plan"] for n, labels, _ in metric_lines(page) if n == "lrtbf_session"}) == 6


def test_collector_sees_what_is_wrong(exporter):
    folder, scrape = exporter
    (folder / "bad.prom").write_text('a{b="c} 1\n')
    assert "node_textfile_scrape_error 1\n" in scrape()
