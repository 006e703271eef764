"""ClickHouse's HTTP interface over its real engine (chdb), for tests: one session, one statement at a time.

usage: clickhouse_server.py [--password TEXT]
Prints the port that it listens on, and serves until its standard input ends. What goes wrong is asked for with GET:
  /faults?fail=503&times=2   the next two insertions are answered so, and not done
  /faults?skip=3&…           … and not before three more were done
  /faults?cut=1              the next insertion is done, and the connection then closed without a word: as a server that goes away
  /faults?delay=0.2          each insertion is done only after that
"""

import argparse
import re
import tempfile
import threading
import time
import urllib.parse

from chdb import session
from local_server import QuietHandler, serve

options = argparse.ArgumentParser()
options.add_argument("--password")
options = options.parse_args()
faults = {"skip": 0, "fail": 0, "times": 0, "cut": 0, "delay": 0}

engine = session.Session()
lock = threading.Lock()


class Handler(QuietHandler):
    def body(self):
        """As it comes, in chunks or as a whole."""
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            yield self.rfile.read(int(self.headers.get("Content-Length", 0)))
            return
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def answer(self, status, text, code=None):
        data = text.encode()
        self.send_response(status)
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        for name, value in urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query):
            faults[name] = float(value)
        self.answer(200, "")

    def do_POST(self):
        parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query, keep_blank_values=True))
        with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
            for piece in self.body():
                file.write(piece)
            file.flush()
            query = parameters.get("query")
            if query is None:
                with open(file.name, encoding="utf-8") as text:
                    query = text.read()
            if options.password and self.headers.get("X-ClickHouse-Key") != options.password:
                return self.answer(403, "Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)\n", "516")
            is_insertion = query.startswith("INSERT")
            if is_insertion:
                time.sleep(faults["delay"])
                if faults["skip"] > 0:
                    faults["skip"] -= 1
                elif faults["times"] > 0:
                    faults["times"] -= 1
                    return self.answer(int(faults["fail"]), "busy\n")
                # The engine in the process has no stream to read from: the request's body is a file here.
                query = re.sub(r"FROM input\((.*)\) FORMAT Parquet$", lambda found: f"FROM file('{file.name}', Parquet, {found.group(1)})", query, flags=re.S)
            try:
                with lock:
                    database = parameters.get("database", "default")
                    engine.query(f"USE {database}")
                    form = "TabSeparated"
                    named = re.search(r"FORMAT (\w+)\s*$", query)
                    if named and not is_insertion:
                        form, query = named.group(1), query[: named.start()]
                    result = str(engine.query(query, form))
            except Exception as error:  # whatever the engine says
                text = str(error)
                found = re.search(r"Code: (\d+)", text)
                code = found.group(1) if found else None
                return self.answer(404 if code in ("60", "81") else 500, text.strip() + "\n", code)
            if is_insertion and faults["cut"] > 0:
                faults["cut"] -= 1
                self.close_connection = True
                self.connection.close()
                return
            self.answer(200, result)


serve(Handler)
