#!/usr/bin/env python3
"""Opens reports in a headless Chromium, drives them by the keyboard and the pointer, and compares the numbers that they show with
those of `cairn stats`, `cairn query` and `cairn decode`. Skipped if there is no Chromium.

usage: page.py BUILD
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import browser

REDUCED_MOTION = [{"name": "prefers-reduced-motion", "value": "reduce"}]
READY = "document.documentElement?.dataset.ready === 'yes'"
failures = []


def expect(shown, wanted, what):
    if shown != wanted:
        failures.append(f"{what}: {shown!r}, not {wanted!r}")


class Cairn:
    def __init__(self, build, directory):
        self.program = build / "cairn"
        self.directory = directory
        (directory / "td").mkdir(mode=0o700)
        self.environment = {**os.environ, "CAIRN_TRACING_DIR": str(directory / "td")}

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment, cwd=self.directory)
        if done.returncode:
            sys.exit(f"cairn {arguments}: {done.stderr.decode()}")
        return done.stdout.decode()

    def lines(self, *arguments):
        return [json.loads(line) for line in self.run(*arguments).splitlines()]


def names(page):
    """Count and durations by name, as the summary has them."""
    return page.eval("""Object.fromEntries([...document.querySelectorAll('.panel-summary tbody tr')].map(row =>
        [row.querySelector('bdi').textContent, [Number(row.querySelector('[data-count]').dataset.count),
                                                ...[...row.querySelectorAll('[data-ns]')].map(cell => Number(cell.dataset.ns))]]))""")


def check_summary(page, cairn):
    shown = names(page)
    counts = {one["key"]: one["count"] for one in cairn.lines("stats", "-f", "jsonl", "t.cairn")}
    expect({name: row[0] for name, row in shown.items()}, counts, "counts by name")
    for one in cairn.lines("stats", "--durations", "-f", "jsonl", "t.cairn"):
        wanted = [one["p50"], one["p90"], one["p99"], one["max"]]
        off = max(abs(a - b) / max(b, 1) for a, b in zip(shown[one["key"]][1:], wanted))
        expect(off < 1e-5, True, f"durations of {one['key']}: {shown[one['key']][1:]}, {wanted}")


def check_query(page, cairn, events):
    """The same numbers by SQL, if this build has it."""
    def query(sql):
        done = subprocess.run([cairn.program, "query", "-f", "json", "t.cairn", sql], stdout=subprocess.PIPE, cwd=cairn.directory, env=cairn.environment)
        return None if done.returncode else [list(row.values()) for row in json.loads(done.stdout)]

    counts = query("SELECT provider || ':' || event, count(*) FROM events GROUP BY 1")
    if counts is None:
        print("without SQLite: not compared with cairn query")
        return
    expect({name: row[0] for name, row in names(page).items()}, dict(counts), "counts by SQL")
    middle = events[len(events) // 2]["time_ns"] - events[0]["time_ns"]
    for sql in ('Number >= 1000', "Name LIKE '%b=c'", 'Big > 9223372036854775808 OR Number % 7 = 3'):
        wanted = query(f'SELECT count(*) FROM "Cli_Work:Work" WHERE {sql}')
        found = page.eval(f"cairnReport.client.ask('filter', {{ text: {json.dumps(sql)}, begin: -Infinity, end: Infinity }}).then(one => one.numbers.length)")
        if "Big" not in sql: # SQLite has no unsigned numbers of 64 bits
            expect(found, wanted[0][0], f"{sql} by SQL")
    page.eval("cairnReport.client.ask('filter', { text: '' })")
    selected = page.eval(f"cairnReport.client.ask('statistics', {{ begin: 0, end: {middle} }}).then(one => one.events)")
    expect(selected, query(f"SELECT count(*) FROM events WHERE time_ns <= {events[0]['time_ns'] + middle}")[0][0], "events of a range by SQL")
    durations = page.eval("cairnReport.index.kinds.filter(one => one.durations).map(one => one.durations.slice(0, 2))")
    expect(durations, [query("SELECT count(*), sum(duration_ns) FROM spans")[0]], "spans and their duration by SQL")


def span(page):
    return page.eval("cairnReport.timeline.end - cairnReport.timeline.begin")


def check_keys(page, events):
    """Zooms in with w, selects what is shown with v, and compares the count."""
    whole = span(page)
    # Around the first event, where the pointer is.
    page.mouse("mouseMoved", page.eval("cairnReport.timeline.xOf(0) + 1"), 300)
    for _ in range(3):
        page.key("w")
    page.wait("!cairnReport.timeline.target")
    expect(round(whole / span(page), 2), round(1 / 0.65 ** 3, 2), "w zooms in")
    begin = page.eval("cairnReport.timeline.begin")
    page.key("d")
    page.wait("!cairnReport.timeline.target")
    expect(page.eval("cairnReport.timeline.begin") > begin, True, "d moves to the right")
    page.key("a")
    page.wait("!cairnReport.timeline.target")
    page.key("v")
    page.wait("Boolean(document.querySelector('.selection-count'))")
    selected = page.eval("cairnReport.timeline.selection")
    first = events[0]["time_ns"]
    inside = [one for one in events if selected["begin"] <= one["time_ns"] - first <= selected["end"]]
    expect(page.eval("Number(document.querySelector('.selection-count').dataset.count)"), len(inside), "events of the selection")
    expect(0 < len(inside) < len(events), True, "the selection is a part")
    page.key("Escape")
    page.key("0")
    page.wait("!cairnReport.timeline.target")
    expect(span(page), whole, "0 shows everything")


def check_search(page, events):
    """The first event that contains a text."""
    page.key("/", "")
    page.write("1152921504606846976")
    page.key("Enter", "\r")
    page.wait("cairnReport.status.textContent.startsWith('found')")
    wanted = next(n for n, one in enumerate(events) if "1152921504606846976" in json.dumps(one["fields"]))
    page.wait(f"cairnReport.event?.number === {wanted}")
    expect(page.eval("document.querySelector('.panel-event .event-name bdi').textContent"), "Cli_Work:Work", "the event that was found")
    values = page.eval("[...document.querySelectorAll('.panel-event .fields .value')].map(one => one.textContent)")
    expect(values, [str(value) for value in events[wanted]["fields"].values()], "its fields")
    page.eval("cairnReport.timeline.canvas.focus()")
    page.key("ArrowRight")
    page.wait(f"cairnReport.event.number === {wanted + 1}")


def check_filter(page, cairn):
    for sql, own in [("Number < 10 AND Name = 'plain'", 'Number < 10 && Name == "plain"'),
                     ("Peer.Port BETWEEN 3 AND 7", "Peer.Port >= 3 && Peer.Port <= 7"),
                     ("Big > 9223372036854775808", "Big > 9223372036854775808")]:
        page.key("4")
        page.key("c", "")
        page.write(sql)
        page.eval("cairnReport.status.dataset.count = ''")
        page.key("Enter", "\r")
        page.wait("cairnReport.status.dataset.count !== ''")
        wanted = len(cairn.lines("decode", "-f", "jsonl", "--filter", own, "t.cairn"))
        expect(page.eval("Number(cairnReport.status.dataset.count)"), wanted, sql)
        page.eval("cairnReport.timeline.canvas.focus()")
    page.wait("Boolean(document.querySelector('.table-body .table-line'))")
    page.key("c", "")
    page.write("Number <")
    page.key("Enter", "\r")
    page.wait("cairnReport.status.textContent.includes('a value is missing')")


def check_language(page, events):
    """Conditions of the filter's language, and the events that they select: what is missing is neither equal nor different."""
    def count(of):
        return sum("Number" in one["fields"] and of(one["fields"]["Number"]) for one in events)

    for sql, wanted in [("NOT Name LIKE 'a-b|%'", count(lambda number: True)), ("comm GLOB '*-w*'", 0),
                        ("Number < 1e20", count(lambda number: True)), ("Number > 1e20", 0),
                        ("Number < 100000000000000000000", count(lambda number: True)),
                        ("NOT (Number = 5 OR Number = 6)", count(lambda number: number not in (5, 6))),
                        ("NOT (Number = 5 AND Name = 'plain')", count(lambda number: number != 5)),
                        ("NOT (Number = 5 AND comm = 'other')", len(events)), ("Number = 5 OR comm = 'work'", len(events)),
                        ("Number NOT IN (5, 6)", count(lambda number: number not in (5, 6))), ("Number NOT IN (5, NULL)", 0)]:
        found = page.eval(f"cairnReport.client.ask('filter', {{ text: {json.dumps(sql)}, begin: -Infinity, end: Infinity }}).then(one => one.numbers.length, error => error.message)")
        expect(found, wanted, sql)
    page.eval("cairnReport.client.ask('filter', { text: '' })")


def check_glide(page):
    """Moves are shown in steps, which end, also where the view cannot go further."""
    page.call("Emulation.setEmulatedMedia", features=[])
    page.eval("cairnReport.timeline.canvas.focus()")
    page.key("0")
    whole = span(page)
    for keys in ("s", "sss", "ddd", "aaaaaa"):
        for key in keys:
            page.key(key)
        page.wait("!cairnReport.timeline.target")
    expect(span(page) > whole, True, "s zooms out")
    page.key("0")
    page.call("Emulation.setEmulatedMedia", features=REDUCED_MOTION)


def check_recording(page, cairn):
    cairn.run("record", "-q", "-e", "Cli_Work*", "-o", "t.cairn", "--", "sh", "-c",
              f"{cairn.program.parent}/tests/cli/work 5000; {cairn.program.parent}/tests/cli/work spans")
    cairn.run("report", "-q", "-o", "t.html", "t.cairn")
    events = cairn.lines("decode", "-f", "jsonl", "t.cairn")
    page.open(f"file://{cairn.directory}/t.html")
    page.wait(READY)
    page.eval("cairnReport.timeline.canvas.focus()")
    check_summary(page, cairn)
    check_query(page, cairn, events)
    check_keys(page, events)
    check_search(page, events)
    check_filter(page, cairn)
    check_language(page, events)
    check_glide(page)


def check_words(page):
    """Fields whose names are words of the filter's language or columns, and arrays: the filters that the buttons make."""
    page.eval("cairnReport.choose(1)")
    page.wait("document.querySelector('.panel-event .event-name bdi').textContent === 'Shop:Words'")
    buttons = page.eval("[...document.querySelectorAll('.panel-event .fields tr')].map(row => [row.querySelector('th').textContent, row.querySelectorAll('button').length])")
    expect(buttons, [["in", 2], ["pid", 2], ["Members", 0], ["not", 2], ["Numbers", 0], ["Points", 0], ["[0]", 0], ["X", 0]], "buttons of fields")
    for n, wanted in enumerate(['"in" = 7', '"pid" = 8', '"Members.not" = 9']):
        page.eval("cairnReport.choose(1)")
        page.eval("cairnReport.status.dataset.count = ''")
        page.eval(f"[...document.querySelectorAll('.panel-event .fields button')].filter(one => one.textContent === 'filter')[{n}].click()")
        page.wait("cairnReport.status.dataset.count !== ''")
        expect(page.eval("[cairnReport.filterBox.value, cairnReport.status.dataset.count]"), [wanted, "1"], "a field's filter")
    page.eval("cairnReport.filterBy('')")


def check_scene(page, build, directory):
    """Spans, states and arrows; names and values that are markup."""
    subprocess.run([build / "tests/report/report_scene", directory / "s.html", "300"], check=True)
    page.open(f"file://{directory}/s.html")
    page.wait(READY)
    expect(page.eval("document.querySelectorAll('.panel b, h1 b, .panel img').length"), 0, "elements out of text")
    shown = names(page)
    expect(shown.get("Shop:<script>window.hacked=1</script>"), [1], "the name that is markup")
    expect(shown["Shop:Request"][0], 600, "events of requests")
    page.eval("cairnReport.choose(0)")
    values = page.eval("[...document.querySelectorAll('.panel-event .fields bdi')].map(one => one.textContent)")
    expect(values, ["<b>Bold", '<img src=x onerror="window.hacked=1">', "\\u{202e}Reversed", "\ufffd\ufffd\u2401 \\u{202e}gpj.exe",
                    "\ufffd(", "</script><script>window.hacked=1</script>"], "fields that are markup")
    check_words(page)
    page.key("4")
    page.wait("Boolean(document.querySelector('.table-body .table-line'))")
    expect(page.eval("window.hacked"), None, "a script of the recording")
    view = page.eval("cairnReport.client.ask('view', { begin: 0, end: 1e6, pixels: 1000 }).then(one => ({ arrows: one.arrows.length, level: one.level }))")
    expect(view, {"arrows": 60, "level": 0}, "arrows of 20 requests")
    arrows = page.eval("""cairnReport.client.ask('view', { begin: 0, end: 49999, pixels: 1000 }).then(one => one.arrows.sort((a, b) => a[0] - b[0] || b[4] - a[4]).map(([time, delay, from, to, kind]) =>
        [time, delay, ...[from, to].map(track => cairnReport.index.threads[cairnReport.index.tracks[track][0]][2]), kind]))""")
    expect(arrows, [[5000, 1000, 100, 101, 1], [6000, 0, 100, 101, 0], [26000, 1000, 101, 100, 1]], "wakers, and the span that began another one")
    folded = page.eval("(({ timeline }) => { timeline.collapsed.add(timeline.processes[0].key); timeline.layOut(); const sizes = [timeline.layout.tracks.size, timeline.layout.folded.size]; timeline.collapsed.clear(); timeline.layOut(); return sizes; })(cairnReport)")
    expect(folded, [0, page.eval("cairnReport.timeline.layout.tracks.size")], "lines that arrows of a folded process lead to")
    page.wait("cairnReport.timeline.counters.list.every(one => one.times)")
    expect(page.eval("cairnReport.timeline.counters.list.map(one => [one.event, one.field, one.least, one.greatest, one.times.length])"),
           [["Queue", "Length", 0, 99, 300]], "fields that are counters")
    check_stacks(page)
    result = page.eval("cairnReport.client.ask('statistics', { begin: 0, end: 15e6 }).then(one => [one.events, one.durations.map(each => each[1][0]), one.states.length])")
    expect(result, [2 + 300 * 9, [300, 300], 2], "statistics")
    expect(page.eval("cairnReport.plot(cairnReport.index.kinds.find(one => one.event === 'Queue'), 'Length').then(() => [cairnReport.timeline.series[0].least, cairnReport.timeline.series[0].greatest])"), [0, 99], "a field over time")


def check_stacks(page):
    """A flame graph of 300 stacks; the name of a file in them is markup."""
    page.key("5")
    page.wait("cairnReport.flame.element.dataset.stacks === '300'")
    functions = page.eval("""[...document.querySelectorAll('.flame-functions tbody tr')].map(row =>
        [row.querySelector('bdi').textContent, ...[...row.querySelectorAll('.number')].map(cell => Number(cell.dataset.self ?? cell.dataset.total))])""")
    expect(functions, [["[server]", 300, 300], ["[unknown]", 0, 100], ["[<img src=x onerror=window.hacked=1>\\u{202e}\ufffd]", 0, 100]], "functions")
    page.eval("document.querySelector('.flame-canvas').dispatchEvent(new PointerEvent('pointermove', { clientX: 30, clientY: document.querySelector('.flame-canvas').getBoundingClientRect().top + 27 }))")
    expect(page.eval("document.querySelector('.flame .tip b').textContent"), "[server]", "what the pointer is on")
    page.eval("cairnReport.flame.zoom(1)")
    page.eval("cairnReport.select({ begin: 0, end: 5e6 - 1 })")
    page.wait("cairnReport.flame.element.dataset.stacks === '100'")
    page.eval("cairnReport.select(null)")
    first = page.eval("cairnReport.client.ask('flame', { begin: 0, end: 1 }).then(() => cairnReport.client.ask('eventAt', { time: 0 })).then(n => cairnReport.choose(n + 3))"
                      ".then(() => [...document.querySelectorAll('.stack bdi')].map(one => one.textContent))")
    expect(first[::2], ["[server]", "[<img src=x onerror=window.hacked=1>\\u{202e}\ufffd]", "[unknown]"], "the stack of an event")
    expect(page.eval("[window.hacked, document.querySelectorAll('.panel img').length]"), [None, 0], "a script of a stack")


def check_print(page):
    """Canvases are painted for the paper; afterwards all is as before."""
    page.key("1")
    page.eval("dispatchEvent(new Event('beforeprint'))")
    expect(page.eval("[cairnReport.timeline.canvas.width, cairnReport.overview.canvas.width, ...Object.values(cairnReport.panels).map(one => one.hidden)]"),
           [960, 960, False, True, False, True, False], "what is printed")
    page.eval("dispatchEvent(new Event('afterprint'))")
    expect(page.eval("cairnReport.timeline.canvas.width"), 1400, "after printing")
    paper = base64.b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    expect((paper[:5], len(paper) > 20000), (b"%PDF-", True), "the paper")


def check_live(page, cairn):
    """A page of a program that writes its events after the page was opened."""
    fifo = cairn.directory / "fifo"
    os.mkfifo(fifo)
    command = [cairn.program, "view", "--live", "-e", "Cli_Work*", "--", "sh", "-c", f"read x < {fifo}; exec {cairn.program.parent}/tests/cli/work 100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=cairn.directory, env=cairn.environment) as server:
        try:
            page.open(server.stdout.readline().decode().strip())
            page.wait(READY)
            expect(page.eval("[cairnReport.index.events, cairnReport.index.is_live]"), [0, 1], "a page that waits")
            fifo.write_text("go\n")
            page.wait("!cairnReport.index.is_live && cairnReport.index.events === 200")
            expect({name: row[0] for name, row in names(page).items()}, {"Cli_Work:Work": 100, "Cli_Work:Peer": 100}, "counts of live events")
        finally:
            server.terminate()


def check_view(page, cairn):
    """The same page, which a server sends."""
    with subprocess.Popen([cairn.program, "view", "t.cairn"], stdout=subprocess.PIPE, cwd=cairn.directory, env=cairn.environment) as server:
        try:
            page.open(server.stdout.readline().decode().strip())
            page.wait(READY)
            page.wait("!cairnReport.index.is_live")
            check_summary(page, cairn)
        finally:
            server.terminate()


def main(build):
    build = pathlib.Path(build).resolve()
    if not browser.find():
        print("no chromium (apt-get install chromium)")
        return 77
    with tempfile.TemporaryDirectory() as directory, browser.Browser() as page:
        directory = pathlib.Path(directory)
        cairn = Cairn(build, directory)
        page.call("Emulation.setEmulatedMedia", features=REDUCED_MOTION)
        check_recording(page, cairn)
        check_view(page, cairn)
        check_live(page, cairn)
        check_scene(page, build, directory)
        check_print(page)
        failures.extend(page.console)
    print("\n".join(failures) or "pages as expected")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
