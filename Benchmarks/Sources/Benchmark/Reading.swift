import BenchmarkSupport

/// What the commands take on large traces: seconds, memory for an operation, and how both grow.
enum Reading {
  static func run(_ context: Context) throws -> [Row] {
    let large = context.amount(1_000_000, short: 10_000)
    var rows: [Row] = []
    let commands: [Command] = [
      Command("summary", ["summary"], seconds: 1.5, bytes: 300),
      Command("doctor", ["doctor"], seconds: 1.5, bytes: 300),
      Command("graph --format dot", ["graph", "--format", "dot", "-o", "-"], seconds: 2, bytes: nil),
      Command("report", ["report", "-o", context.file("report.html")], seconds: 3, bytes: 400),
      Command("validate", ["validate"], seconds: nil, bytes: nil),
    ]
    let size = Double(try context.size(try context.trace(large, "pairs")))
    for command in commands {
      let runs = try interleaved([large / 4, large], rounds: context.isShort ? 1 : 5) { count in
        try context.run([command.words[0], try context.trace(count, "pairs")] + command.words.dropFirst())
      }
      let most = runs[large] ?? []
      let few = runs[large / 4] ?? []
      rows += [
        Row("reading", "\(command.name), \(large) operations", Spread(most.map(\.wall)), "s", atMost: command.seconds),
        Row(
          "reading", "\(command.name): memory an operation", Spread(most.map { Double($0.peak) / Double(large) }), "B",
          atMost: command.bytes),
        Row(
          "reading", "\(command.name): four times the operations, CPU", ratios(most.map(\.cpu), few.map(\.cpu)), "x",
          atMost: 4.4),
      ]
      if command.name == "validate" {
        rows.append(
          Row("reading", "validate: bytes a second", Spread(most.map { size / $0.wall / 1e6 }), "MB/s", atLeast: 300))
      }
    }
    return rows + (try timeline(context, large))
  }

  private struct Command {
    let name: String
    /// The trace comes after the first.
    let words: [String]
    let seconds: Double?
    let bytes: Double?

    init(_ name: String, _ words: [String], seconds: Double?, bytes: Double?) {
      (self.name, self.words, self.seconds, self.bytes) = (name, words, seconds, bytes)
    }
  }

  private static func timeline(_ context: Context, _ large: Int) throws -> [Row] {
    let counts = [large / 4, large]
    let runs = try interleaved(counts, rounds: context.isShort ? 1 : 5) { count in
      try context.run(["timeline", try context.trace(count, "pairs"), "-o", "/dev/null", "--format", "json"])
    }
    let formats = try interleaved(["perfetto", "json"], rounds: context.isShort ? 1 : 5) { format in
      try context.run(["timeline", try context.trace(large, "pairs"), "-o", "/dev/null", "--format", format])
    }
    let events = Double(try eventCount(context, try context.trace(large, "pairs")))
    let most = runs[large] ?? []
    let few = runs[large / 4] ?? []
    return [
      Row("reading", "timeline: events", events, "events"),
      Row("reading", "timeline: events a second", Spread(most.map { events / $0.wall }), "/s", atLeast: 4_000_000),
      Row("reading", "timeline: memory", Spread(most.map { Double($0.peak) / 1e6 }), "MB"),
      Row(
        "reading", "timeline: memory for four times the operations",
        ratios(most.map { Double($0.peak) }, few.map { Double($0.peak) }),
        "x", atMost: 1.1),
      Row(
        "reading", "timeline: perfetto / json, CPU",
        ratios((formats["perfetto"] ?? []).map(\.cpu), (formats["json"] ?? []).map(\.cpu)), "x", atMost: 1.1),
    ]
  }

  /// By the output of `validate`.
  private static func eventCount(_ context: Context, _ trace: String) throws -> Int {
    let child = try Child.run([context.optrace, "validate", trace], keepsOutput: true)
    let text = String(decoding: child.output, as: UTF8.self)
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\n" })
    guard let index = words.firstIndex(where: { $0.hasPrefix("event") }), index > 0,
      let number = Int(words[index - 1].filter(\.isNumber))
    else { throw Failed(what: "validate, which says: \(text)") }
    return number
  }
}
