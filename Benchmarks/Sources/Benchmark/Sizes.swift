import BenchmarkSupport

/// What a trace weighs: recorded, packed, and as a timeline.
enum Sizes {
  static func run(_ context: Context) throws -> [Row] {
    let count = context.amount(1_000_000, short: 5_000)
    let trace = try context.trace(count, "chain")
    let packed = context.file("packed.optracez")
    _ = try context.run(["pack", trace, "-o", packed])
    let timeline = context.file("timeline.json")
    _ = try context.run(["timeline", trace, "-o", timeline])
    let protobuf = context.file("timeline.pftrace")
    for path in [protobuf, protobuf + ".gz"] { _ = try context.run(["timeline", trace, "-o", path]) }
    func each(_ path: String) throws -> Double { Double(try context.size(path)) / Double(count) }
    return [
      Row("size", "recorded, one dependency each", try each(trace), "B each", atMost: 80),
      Row("size", "packed", try each(packed), "B each", atMost: 9),
      Row("size", "timeline (JSON)", try each(timeline), "B each", atMost: 250),
      Row("size", "timeline (Perfetto)", try each(protobuf), "B each", atMost: 50),
      Row("size", "timeline (Perfetto), gzipped", try each(protobuf + ".gz"), "B each", atMost: 15),
    ]
  }
}
