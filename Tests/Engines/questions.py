"""Asks the built-in questions of ClickHouse, through its HTTP interface, and of SQLite, and compares what they answer.

usage: questions.py PORT OPTRACE TRACE...
The traces are loaded. Prints a line for each difference; ends with 1 where there is one.
"""

import csv
import io
import re
import subprocess
import sys
import urllib.request

port, optrace, *traces = sys.argv[1:]


def ask(query):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/?database=optrace", query.encode())
    return urllib.request.urlopen(request).read().decode()


def value(text):
    """As a number where it is one, and rounded: sums of real numbers depend on the order."""
    if text in ("", "\\N", "null"):
        return None
    try:
        number = float(text)
        return float(f"{number:.9g}")
    except ValueError:
        return text


def rows(text, skip):
    return sorted(([value(cell) for cell in row] for row in list(csv.reader(io.StringIO(text)))[skip:]), key=str)


listed = subprocess.run([optrace, "sql", "--list"], capture_output=True, text=True, check=True).stdout
names = re.findall(r"^@([a-z-]+)", listed, re.M)
problems = 0
for name in names:
    for trace in traces:
        # All questions are of all traces: with one trace in the server both see the same.
        wanted = rows(subprocess.run([optrace, "sql", trace, f"@{name}", "--csv"], capture_output=True, text=True, check=True).stdout, 1)
        found = rows(ask(f"SELECT * FROM question_{name.replace('-', '_')} FORMAT CSV"), 0)
        if found != wanted:
            problems += 1
            different = [pair for pair in zip(found, wanted) if pair[0] != pair[1]]
            print(f"{name}: {len(found)} rows, not {len(wanted)}; {different[:1]}")
print(f"{len(names)} questions, {problems} differences")
sys.exit(1 if problems or not names else 0)
