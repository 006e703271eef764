"""Reads exported tables with the engines that they are for, and compares every row to the SQLite files of the same traces.

usage: compare.py SQLITE-FOLDER PARQUET-FOLDER CSV-FOLDER
Prints a line for each difference; ends with 1 where there is one.
"""

import csv
import glob
import os
import sqlite3
import sys

import chdb
import duckdb
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

databases, parquet, comma = sys.argv[1:]
problems = []
compared = 0


def ordered(rows):
    """Rows as a set that counts: engines promise no order."""
    return sorted((tuple(row) for row in rows), key=lambda row: [(value is None, str(type(value)), value) for value in map(plain, row)])


def plain(value):
    return value if value is not None else 0


def check(who, table, found, wanted):
    global compared
    compared += 1
    found, wanted = ordered(found), ordered(wanted)
    if found == wanted:
        return
    if len(found) != len(wanted):
        problems.append(f"{who}: {table} has {len(found)} rows, not {len(wanted)}")
        return
    for one, other in zip(found, wanted):
        if one != other:
            problems.append(f"{who}: {table} has {one!r}, not {other!r}")
            return


def chdb_rows(query):
    """As Python has values: CSV would lose what is null."""
    text = chdb.query(query, "ArrowStream").bytes()
    table = pyarrow.ipc.open_stream(text).read_all()
    columns = [column.to_pylist() for column in table.columns]
    for number, field in enumerate(table.schema):
        if pyarrow.types.is_binary(field.type) or pyarrow.types.is_large_binary(field.type):
            columns[number] = [None if value is None else value.decode() for value in columns[number]]
    return list(zip(*columns)) if columns else []


def typed(table, columns, types):
    """Rows of Python's own CSV reader: quotes tell a text that is empty from none, and that it does not keep."""
    rows = []
    for path in sorted(glob.glob(f"{comma}/{table}/trace=*/part-0.csv")):
        trace = path.split("/trace=")[1].split("/")[0]
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader)
            if header != columns[1:]:
                problems.append(f"csv: {table} has the columns {header}, not {columns[1:]}")
            for row in reader:
                values = [trace]
                for value, kind in zip(row, types[1:]):
                    values.append(None if value == "" else int(value) if kind == "integer" else float(value) if kind == "real" else value)
                rows.append(values)
    return rows


sources = [sqlite3.connect(path) for path in sorted(glob.glob(f"{databases}/*.sqlite"))]
assert sources, f"no SQLite files in {databases}"
sqlite = sources[0]
tables = [name for (name,) in sqlite.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")]
for table in tables:
    information = list(sqlite.execute(f"PRAGMA table_info({table})"))
    columns = [row[1] for row in information]
    types = [row[2].lower() for row in information]
    wanted = [row for source in sources for row in source.execute(f"SELECT * FROM {table}")]
    names = ", ".join(f'"{name}"' for name in columns)
    files = f"{parquet}/{table}/*/*.parquet"

    # Each file says what it is, and that all of it is sound.
    for path in glob.glob(files):
        file = pyarrow.parquet.ParquetFile(path)
        facts = file.schema_arrow.metadata
        if facts.get(b"optrace.table") != table.encode() or facts.get(b"optrace.schema") != b"1":
            problems.append(f"{path}: {facts}")
        if file.schema_arrow.names != columns[1:]:
            problems.append(f"{path}: {file.schema_arrow.names}")

    partition = pyarrow.dataset.partitioning(pyarrow.schema([("trace", pyarrow.string())]), flavor="hive")
    arrow = pyarrow.dataset.dataset(f"{parquet}/{table}", format="parquet", partitioning=partition).to_table(columns=columns)
    check("pyarrow", table, zip(*[column.to_pylist() for column in arrow.columns]), wanted)
    check("duckdb", table, duckdb.sql(f"SELECT {names} FROM read_parquet('{files}', hive_partitioning = true)").fetchall(), wanted)
    quoted = ", ".join(f"`{name}`" for name in columns[1:])
    hive = f"SELECT extract(_path, 'trace=([0-9a-f]+)') AS trace, {quoted} FROM file('{files}', Parquet)"
    check("clickhouse", table, chdb_rows(hive), wanted)

    # An empty text is null to CSV's readers, or null an empty text: both as one here.
    def merged(rows):
        return [[None if value == "" else value for value in row] for row in rows]

    check("csv", table, typed(table, columns, types), merged(wanted))
    kinds = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR"}
    given = ", ".join(f"'{name}': '{kinds[kind]}'" for name, kind in zip(columns[1:], types[1:]))
    read = f"SELECT {names} FROM read_csv('{comma}/{table}/*/*.csv', header = true, delim = ',', quote = '\"', escape = '\"', columns = {{{given}}}, hive_partitioning = true)"
    check("duckdb csv", table, merged(duckdb.sql(read).fetchall()), merged(wanted))

for problem in problems:
    print(problem)
print(f"{compared} comparisons of {len(tables)} tables, {len(problems)} differences")
sys.exit(1 if problems or not tables else 0)
