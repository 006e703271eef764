"""Reads exported lines of OTLP with OpenTelemetry's own definitions, sends them through a real collector, and counts what comes out.

usage: spans.py FOLDER
Prints what there was; ends with 1 where a line is not accepted, or anything is lost on the way.
"""

import base64
import glob
import http.client
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time

import rotel
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

# The collector's receiver of such files cuts longer lines.
LONGEST_LINE = 1 << 20


def as_protobuf_has_it(value):
    """OTLP writes numbers of traces and spans in hexadecimal digits, where JSON of protobuf in general has base 64."""
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(part)).decode()
            if key in ("traceId", "spanId", "parentSpanId")
            else as_protobuf_has_it(part)
            for key, part in value.items()
        }
    return [as_protobuf_has_it(part) for part in value] if isinstance(value, list) else value


def spans_of(request):
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            yield from scope.spans


class Sink(http.server.BaseHTTPRequestHandler):
    """Where the collector sends what it has."""

    seen = {}
    lock = threading.Lock()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        request = ExportTraceServiceRequest.FromString(body)
        with Sink.lock:
            for span in spans_of(request):
                Sink.seen[(span.trace_id, span.span_id)] = span.SerializeToString(deterministic=True)
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def read(folder):
    files = sorted(glob.glob(f"{folder}/*.jsonl"))
    requests, sent, links = [], {}, 0
    for path in files:
        own = set()
        with open(path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                where = f"{os.path.basename(path)} line {number}"
                assert len(line) < LONGEST_LINE, f"{where} has {len(line)} bytes"
                request = json_format.ParseDict(as_protobuf_has_it(json.loads(line)), ExportTraceServiceRequest())
                requests.append(request)
                for span in spans_of(request):
                    key = (span.trace_id, span.span_id)
                    assert len(span.trace_id) == 16 and len(span.span_id) == 8 and any(span.span_id), where
                    assert key not in sent, f"{where}: a span is there twice"
                    assert span.start_time_unix_nano <= span.end_time_unix_nano, where
                    sent[key] = span.SerializeToString(deterministic=True)
                    own.add(key)
                    links += len(span.links)
        # What is pointed at is there.
        for request in requests:
            for span in spans_of(request):
                if (span.trace_id, span.span_id) not in own:
                    continue
                # A tracer's span may have its parent and its links in another process.
                if any(a.key == "optrace.kind" and a.value.string_value == "span" for a in span.attributes):
                    continue
                for link in span.links:
                    assert (link.trace_id, link.span_id) in own, f"{path}: a link leads nowhere"
                if span.parent_span_id:
                    assert (span.trace_id, span.parent_span_id) in own, f"{path}: a parent is missing"
    return files, requests, sent, links


def through_a_collector(requests, count):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = free_port()
    agent = os.path.join(os.path.dirname(rotel.__file__), "rotel-agent")
    collector = subprocess.Popen(
        [agent, "start", "--otlp-http-endpoint", f"127.0.0.1:{port}", "--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}",
         "--exporter", "otlp", "--otlp-exporter-protocol", "http",
         "--otlp-exporter-endpoint", f"http://127.0.0.1:{server.server_port}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "HOME": "/tmp"})
    try:
        deadline = time.monotonic() + 60
        for request in requests:
            body = request.SerializeToString()
            while True:
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                    connection.request("POST", "/v1/traces", body, {"Content-Type": "application/x-protobuf"})
                    status = connection.getresponse().status
                    break
                except ConnectionRefusedError:
                    assert time.monotonic() < deadline and collector.poll() is None, "the collector does not listen"
                    time.sleep(0.05)
            assert status == 200, f"the collector answers {status}"
        while len(Sink.seen) < count and time.monotonic() < deadline and collector.poll() is None:
            time.sleep(0.05)
    finally:
        collector.kill()
        collector.wait()
        server.shutdown()


files, requests, sent, links = read(sys.argv[1])
through_a_collector(requests, len(sent))
changed = sum(1 for key, span in sent.items() if Sink.seen.get(key) != span)
print(f"{len(files)} files, {len(sent)} spans, {links} links; {len(Sink.seen)} spans came through, {changed} changed")
sys.exit(0 if len(Sink.seen) == len(sent) and changed == 0 and files else 1)
