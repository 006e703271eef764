"""Receives profiles as OpenTelemetry's collector does (OTLP over HTTP) and as Pyroscope does (its push API), for tests.

usage: profile_receiver.py
Prints the port that it listens on, and serves until its standard input ends. OTLP is read with OpenTelemetry's own
definitions, and checked against what these demand of a dictionary. GET:
  /profiles                  what was accepted, as JSON
  /requests                  the statuses of all requests, as JSON
  /faults?status=503&times=2 the next two requests are answered so
  /faults?retry_after=1&…    … with this header
  /faults?words=…&…          … with these words; &protobuf=1: as the collector packs them, &json=1: as Pyroscope does
  /faults?delay=5&times=1    the next request is answered after so many seconds
  /faults?rejected=1&times=1 the next request is answered with 200, and a partial success
"""

import gzip
import json
import sys
import threading
import time
import urllib.parse

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from opentelemetry.proto.collector.profiles.v1development.profiles_service_pb2 import (
    ExportProfilesServiceRequest,
    ExportProfilesServiceResponse,
)

from local_server import QuietHandler, serve


def messages(name, package, types):
    """Classes for messages: {"Name": [("field", number, "type", is_repeated)]}."""
    file = descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto3")
    kinds = {"int64": 3, "uint64": 4, "bool": 8, "string": 9, "bytes": 12}
    for title, fields in types.items():
        message = file.message_type.add(name=title)
        for field, number, kind, repeated in fields:
            added = message.field.add(name=field, number=number, label=3 if repeated else 1)
            if kind in kinds:
                added.type = kinds[kind]
            else:
                added.type, added.type_name = 11, f".{package}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        title: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{title}")) for title in types
    }


# https://github.com/google/pprof/blob/main/proto/profile.proto, the parts that Pyroscope reads.
PPROF = messages(
    "profile.proto",
    "perftools.profiles",
    {
        "Profile": [
            ("sample_type", 1, "ValueType", True), ("sample", 2, "Sample", True), ("mapping", 3, "Mapping", True),
            ("location", 4, "Location", True), ("function", 5, "Function", True), ("string_table", 6, "string", True),
            ("time_nanos", 9, "int64", False), ("duration_nanos", 10, "int64", False),
            ("period_type", 11, "ValueType", False), ("period", 12, "int64", False),
        ],
        "ValueType": [("type", 1, "int64", False), ("unit", 2, "int64", False)],
        "Sample": [("location_id", 1, "uint64", True), ("value", 2, "int64", True), ("label", 3, "Label", True)],
        "Label": [("key", 1, "int64", False), ("str", 2, "int64", False), ("num", 3, "int64", False)],
        "Mapping": [("id", 1, "uint64", False), ("filename", 5, "int64", False)],
        "Location": [("id", 1, "uint64", False), ("mapping_id", 2, "uint64", False), ("line", 4, "Line", True)],
        "Line": [("function_id", 1, "uint64", False), ("line", 2, "int64", False)],
        "Function": [("id", 1, "uint64", False), ("name", 2, "int64", False), ("filename", 4, "int64", False)],
    },
)
# https://github.com/grafana/pyroscope/blob/main/api/push/v1/push.proto
PUSH = messages(
    "push.proto",
    "push.v1",
    {
        "PushRequest": [("series", 1, "RawProfileSeries", True)],
        "RawProfileSeries": [("labels", 1, "LabelPair", True), ("samples", 2, "RawSample", True)],
        "LabelPair": [("name", 1, "string", False), ("value", 2, "string", False)],
        "RawSample": [("raw_profile", 1, "bytes", False), ("ID", 2, "string", False)],
    },
)
STATUS = messages(
    "status.proto", "google.rpc", {"Status": [("code", 1, "int64", False), ("message", 2, "string", False)]}
)["Status"]

accepted, requests = [], []
faults = {}
lock = threading.Lock()


def value_of(value):
    return value.int_value if value.WhichOneof("value") == "int_value" else value.string_value


def check_dictionary(request, troubles):
    """What profiles.proto demands: the first item is nothing, none is there twice, each is used, indexes are right."""
    tables = request.dictionary
    used = {name: {0} for name in ("mapping", "location", "function", "link", "string", "attribute", "stack")}

    def use(name, index):
        if not 0 <= index < len(getattr(tables, f"{name}_table")):
            troubles.append(f"{name} {index} does not exist")
        used[name].add(index)

    for resource in request.resource_profiles:
        for scope in resource.scope_profiles:
            for profile in scope.profiles:
                for kind in (profile.sample_type, profile.period_type):
                    use("string", kind.type_strindex)
                    use("string", kind.unit_strindex)
                for index in profile.attribute_indices:
                    use("attribute", index)
                identities = set()
                for sample in profile.samples:
                    use("stack", sample.stack_index)
                    use("link", sample.link_index)
                    keys = [tables.attribute_table[index].key_strindex for index in sample.attribute_indices]
                    if len(keys) != len(set(keys)):
                        troubles.append("a sample has an attribute twice")
                    for index in sample.attribute_indices:
                        use("attribute", index)
                    identity = (sample.stack_index, frozenset(sample.attribute_indices), sample.link_index)
                    if identity in identities:
                        troubles.append("samples with the same identity")
                    identities.add(identity)
                    if len(sample.values) != 1 or sample.values[0] < 1:
                        troubles.append(f"values {list(sample.values)}")
    for stack in tables.stack_table:
        for index in stack.location_indices:
            use("location", index)
    for location in tables.location_table:
        use("mapping", location.mapping_index)
        for line in location.lines:
            use("function", line.function_index)
    for function in tables.function_table:
        for index in (function.name_strindex, function.system_name_strindex, function.filename_strindex):
            use("string", index)
    for mapping in tables.mapping_table:
        use("string", mapping.filename_strindex)
    for attribute in tables.attribute_table:
        use("string", attribute.key_strindex)
    for name, indexes in used.items():
        table = getattr(tables, f"{name}_table")
        if not table:
            troubles.append(f"no {name} table")
            continue
        items = [item if isinstance(item, str) else item.SerializeToString(deterministic=True) for item in table]
        if len(items) != len(set(items)):
            troubles.append(f"the {name} table has an item twice")
        nothing = {"": True, b"": True, b"\x0a\x10" + bytes(16) + b"\x12\x08" + bytes(8): name == "link"}
        if not nothing.get(items[0], False):
            troubles.append(f"the {name} table does not begin with nothing")
        # The program's own mapping is there whether or not its code was sampled.
        unused = [index for index in range(len(items)) if index not in indexes and name != "mapping"]
        if unused:
            troubles.append(f"the {name} table has unused items {unused[:5]}")


def read_otlp(body):
    request = ExportProfilesServiceRequest.FromString(body)
    tables, troubles = request.dictionary, []
    check_dictionary(request, troubles)
    strings = tables.string_table
    for resource in request.resource_profiles:
        facts = {a.key: value_of(a.value) for a in resource.resource.attributes}
        for scope in resource.scope_profiles:
            for profile in scope.profiles:
                samples = []
                for sample in profile.samples:
                    stack = []
                    for index in tables.stack_table[sample.stack_index].location_indices:
                        for line in tables.location_table[index].lines:
                            stack.append(strings[tables.function_table[line.function_index].name_strindex])
                    link = tables.link_table[sample.link_index]
                    samples.append({
                        "stack": stack, "count": sum(sample.values),
                        "labels": {
                            strings[tables.attribute_table[i].key_strindex]: value_of(tables.attribute_table[i].value)
                            for i in sample.attribute_indices
                        },
                        "link": f"{link.trace_id.hex()}-{link.span_id.hex()}" if sample.link_index else "",
                    })
                kinds = [profile.sample_type, profile.period_type]
                yield {
                    "format": "otlp", "service": facts.get("service.name", ""), "scope": scope.scope.name,
                    "facts": {key: str(value) for key, value in facts.items()},
                    "types": [f"{strings[kind.type_strindex]}:{strings[kind.unit_strindex]}" for kind in kinds],
                    "period": profile.period, "time": profile.time_unix_nano, "duration": profile.duration_nano,
                    "id": profile.profile_id.hex(), "samples": samples, "troubles": troubles,
                }


def read_pyroscope(body):
    for series in PUSH["PushRequest"].FromString(body).series:
        labels = {pair.name: pair.value for pair in series.labels}
        for raw in series.samples:
            profile = PPROF["Profile"].FromString(gzip.decompress(raw.raw_profile))
            strings, troubles, samples = profile.string_table, [], []
            functions = {function.id: strings[function.name] for function in profile.function}
            locations = {location.id: location for location in profile.location}
            for sample in profile.sample:
                stack = [functions[line.function_id] for id in sample.location_id for line in locations[id].line]
                of = {strings[label.key]: strings[label.str] for label in sample.label}
                samples.append({
                    "stack": stack, "count": sample.value[0],
                    "labels": {key: value for key, value in of.items() if key != "span_id"},
                    "link": of.get("span_id", ""),
                })
                if sample.value[1] != sample.value[0] * profile.period:
                    troubles.append(f"values {list(sample.value)}")
            yield {
                "format": "pyroscope", "service": labels.get("service_name", ""), "scope": labels.get("__name__", ""),
                "facts": labels,
                "types": [f"{strings[kind.type]}:{strings[kind.unit]}" for kind in profile.sample_type],
                "period": profile.period, "time": profile.time_nanos, "duration": profile.duration_nanos,
                "id": raw.ID, "samples": samples, "troubles": troubles,
            }


READERS = {
    "/v1development/profiles": ("application/x-protobuf", read_otlp),
    "/push.v1.PusherService/Push": ("application/proto", read_pyroscope),
}


class Handler(QuietHandler):
    def answer(self, status, body=b"", kind="text/plain", headers=None):
        with lock:
            if self.command == "POST":
                requests.append(status)
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        with lock:
            if parts.path == "/faults":
                faults.clear()
                faults.update(dict(urllib.parse.parse_qsl(parts.query)))
                shown = {}
            else:
                shown = accepted if parts.path == "/profiles" else requests
            body = json.dumps(shown).encode()
        self.answer(200, body, "application/json")

    def fault(self):
        with lock:
            left = int(faults.get("times", 0))
            if left < 1:
                return {}
            faults["times"] = left - 1
            return dict(faults)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.fault()
        time.sleep(float(fault.get("delay", 0)))
        if "status" in fault:
            words = fault.get("words", "").encode().decode("unicode_escape")
            kind, data = "text/plain", words.encode()
            if "protobuf" in fault:
                kind, data = "application/x-protobuf", STATUS(code=14, message=words).SerializeToString()
            if "json" in fault:
                kind, data = "application/json", json.dumps({"code": "unknown", "message": words}).encode()
            after = {"Retry-After": fault["retry_after"]} if "retry_after" in fault else {}
            return self.answer(int(fault["status"]), data, kind, after)
        kind, reader = READERS.get(urllib.parse.urlsplit(self.path).path, ("", None))
        if not reader:
            return self.answer(404, b"no such path\nsecond line")
        if self.headers["Content-Type"] != kind:
            return self.answer(415, b"unsupported media type")
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        try:
            profiles = list(reader(body))
        except Exception as error:  # whatever the definitions say
            return self.answer(400, f"malformed: {error}".encode())
        for profile in profiles:
            profile["headers"] = {name.lower(): value for name, value in self.headers.items()}
        with lock:
            accepted.extend(profiles)
        response = ExportProfilesServiceResponse()
        if "rejected" in fault:
            response.partial_success.rejected_profiles = int(fault["rejected"])
            response.partial_success.error_message = "too old\nsecond line"
        self.answer(200, response.SerializeToString(), kind)


serve(Handler, int(sys.argv[1]) if len(sys.argv) > 1 else 0)
