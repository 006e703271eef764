"""The work of scripts/bench-peers in Python: `peer.py plain|viztracer COUNT FILE`. Prints the nanoseconds that the spans took, behind some that
count for nothing, and those that writing the picture took."""
import sys
import time


def step(value):
    for _ in range(8):
        value = value * 6364136223846793005 + 1442695040888963407 & 0xFFFFFFFFFFFFFFFF
    return value


def run(count, value=1):
    for _ in range(count):
        value = step(value)
    return value


kind, count, file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
run(1000)
if kind == "viztracer":
    import viztracer

    tracer = viztracer.VizTracer(output_file=file, tracer_entries=3 * count, verbose=0)
    tracer.start()
began = time.monotonic_ns()
run(count)
ended = time.monotonic_ns()
drawn = 0
if kind == "viztracer":
    tracer.stop()
    since = time.monotonic_ns()
    tracer.save()
    drawn = time.monotonic_ns() - since
print(ended - began, drawn)
