import Foundation
import OpTraceModel

import TestSupport
import Testing

@testable import OpTraceGraph
@testable import OpTracePage
import OpTraceReport

/// The content of a page, put together from its updates: as texts and times, independent of row numbers.
private struct ReceivedPage {
  typealias Row = [String: Int]

  private(set) var revision = -1
  private(set) var tables: [String: [Row]] = [:]
  private var strings: [String] = []
  private var document: [String: Any] = [:]
  /// Rows that came with the last update.
  private(set) var written = 0

  mutating func take(_ bytes: [UInt8]) throws {
    let data = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    let since = data["since"] as? Int
    if since != nil { #expect(since == revision) }
    revision = data["revision"] as? Int ?? 0
    let received = try #require(data["document"] as? [String: Any])
    let moved = Moved(data, from: document, to: received)
    if since == nil { (tables, strings) = ([:], []) }
    strings += data["strings"] as? [String] ?? []
    document = received
    written = 0
    for (name, table) in try #require(data["tables"] as? [String: [String: Any]]) {
      let kept = table["kept"] as? [Int] ?? []
      let columns = try #require(table["columns"] as? [String: [String: Any]])
      let count = try #require(table["count"] as? Int)
      var rows = [Row?](repeating: nil, count: count)
      for run in stride(from: 0, to: kept.count, by: 3) {
        for index in 0..<kept[run + 2] {
          var row = try #require(tables[name])[kept[run] + index]
          for (column, facts) in columns { row[column] = moved.value(row[column], facts["of"] as? String) }
          rows[kept[run + 1] + index] = row
        }
      }
      let gaps = rows.indices.filter { rows[$0] == nil }
      written += gaps.count
      let fresh = try Self.decode(columns, count: gaps.count)
      for (index, row) in zip(gaps, fresh) { rows[index] = row }
      tables[name] = rows.compactMap { $0 }
    }
  }

  /// How row numbers of the page have moved.
  private struct Moved {
    var tracks: [Int]?
    var groups: [Int]?
    var kinds: [(old: Int, new: Int)]

    init(_ data: [String: Any], from old: [String: Any], to new: [String: Any]) {
      (tracks, groups) = (data["tracks"] as? [Int], data["groups"] as? [Int])
      func firsts(_ document: [String: Any]) -> [Int] {
        (document["kinds"] as? [[String: Any]] ?? []).compactMap { $0["first"] as? Int }
      }
      kinds = Array(zip(firsts(old), firsts(new)).map { (old: $0, new: $1) })
    }

    func value(_ value: Int?, _ meaning: String?) -> Int? {
      guard let value else { return nil }
      switch meaning {
      case "track": return tracks.map { $0[value] } ?? value
      case "group": return groups.map { $0[value] } ?? value
      case "work": return kinds.last { $0.old <= value }.map { value + $0.new - $0.old }
      default: return value
      }
    }
  }

  private static func decode(_ columns: [String: [String: Any]], count: Int) throws -> [Row] {
    var rows = [Row](repeating: [:], count: count)
    func decode(_ name: String, _ column: [String: Any]) throws {
      if count == 0 || rows[0]["\(name) is there"] != nil { return }
      let base = column["base"] as? String
      if let base { try decode(base, try #require(columns[base])) }
      let bytes = [UInt8](Data(base64Encoded: column["data"] as? String ?? "") ?? Data())
      var (at, previous) = (0, 0)
      for row in rows.indices {
        rows[row]["\(name) is there"] = 1
        guard column["data"] != nil else {
          rows[row][name] = base.flatMap { rows[row][$0] } ?? column["all"] as? Int
          continue
        }
        var (coded, shift): (UInt64, UInt64) = (0, 0)
        repeat {
          coded |= UInt64(bytes[at] & 127) << shift
          shift += 7
          at += 1
        } while bytes[at - 1] > 127
        guard coded > 0 else { continue }
        let zigzag = coded - 1
        previous = (base.flatMap { rows[row][$0] } ?? previous) + (Int(zigzag >> 1) ^ -Int(zigzag & 1))
        rows[row][name] = previous
      }
    }
    for (name, column) in columns { try decode(name, column) }
    return rows.map { $0.filter { !$0.key.hasSuffix(" is there") } }
  }

  /// Every row as text, by table.
  func said() -> [String: [String]] {
    func entry(_ list: String, _ index: Int) -> String {
      let one = (document[list] as? [[String: Any]])?[index] ?? [:]
      return "\(one["name"] ?? "?") \(one["systemId"] ?? "")"
    }
    let texts: Set = ["name", "class", "function", "source", "error", "way", "title", "place", "image", "actor"]
    var said: [String: [String]] = [:]
    for (table, rows) in tables where !["frames", "calls", "sampledFunctions"].contains(table) {
      said[table] = rows.map { row in
        row.sorted { $0.key < $1.key }.map { column, value in
          if texts.contains(column) { return "\(column)=\(strings[value])" }
          if column.lowercased().hasSuffix("thread") { return "\(column)=\(entry("threads", value))" }
          if column == "queue" { return "\(column)=\(entry("queues", value))" }
          if ["added", "made", "stands", "stack"].contains(column) { return "\(column)=\(stack(value))" }
          if column == "call" { return "\(column)=\(call(value))" }
          return "\(column)=\(value)"
        }.joined(separator: " ")
      }
    }
    return said
  }

  private func queueName(_ row: Int) -> String {
    (document["queues"] as? [[String: Any]])?[row]["name"] as? String ?? "?"
  }

  private func stack(_ frame: Int) -> String {
    let row = tables["frames"]?[frame] ?? [:]
    return (row["title"].map { strings[$0] } ?? "?") + (row["caller"].map { " < " + stack($0) } ?? "")
  }

  /// The functions of a sample's stack.
  private func call(_ row: Int) -> String {
    let call = tables["calls"]?[row] ?? [:]
    let function = call["function"].flatMap { tables["sampledFunctions"]?[$0] } ?? [:]
    return "\(call["flags"] ?? -1) \(function["flags"] ?? -1) " + (function["name"].map { strings[$0] } ?? "?")
      + (call["caller"].map { " < " + self.call($0) } ?? "")
  }

  func figure(_ name: String) throws -> String {
    var value = document[name] ?? ""
    if name == "groups", let groups = value as? [[String: Any]] {
      // Queues have rows in the order in which they were met, so compare their names.
      value = groups.map { group in
        group.merging(["queue": (group["queue"] as? Int).map { queueName($0) } ?? ""]) { $1 }
      }
    }
    let data = try JSONSerialization.data(withJSONObject: [value], options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }
}

@Suite("Data of a page that grows with its trace")
struct GrowingReportTests {
  private func trace(_ lines: some Collection<String>) throws -> Trace {
    let text = lines.map { $0 + "\n" }.joined()
    return TraceBuilder.build(try TraceText.parse(TypedTrace().text(text, in: .nanoseconds)))
  }

  private func bytes(_ write: (ByteSinkOf) throws -> Void) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try write { bytes += $0 }
    return bytes
  }
  private typealias ByteSinkOf = (UnsafeRawBufferPointer) throws -> Void

  /// The lines, with samples of their threads in between.
  private func sampled(_ lines: [String], _ random: inout SeededGenerator) -> [String] {
    var result = [
      "0 t0 profile period=1000", "0 t0 image i901 page=4096 pages=64 \"/opt/photos/photos\"",
      "0 t0 frame f901 image=i901 offset=4096", "0 t0 symbol f901 short=\"main\" module=\"Photos\" \"main\"",
    ]
    for number in 902..<910 {
      result.append("0 t0 frame f\(number) image=i901 offset=\(number * 16) caller=f\(random.number(901..<number))")
      result.append("0 t0 symbol f\(number) short=\"f\(number % 5)\" module=\"Photos\" \"f\(number % 5)\"")
    }
    for line in lines {
      result.append(line)
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count > 2, words[1] != "t0", random.chance(30) else { continue }
      let kernel = random.chance(10) ? "-in-kernel" : ""
      result.append("\(words[0]) \(words[1]) sampled\(kernel) f\(random.number(901..<912)) age=0 thread=\(words[1])")
    }
    return result
  }

  /// `OPTRACE_TEST_SEED` repeats one.
  @Test(
    "a page that grows in steps equals a page that gets everything at the end",
    arguments: ["blocks", "tasks", "samples"])
  func steps(kind: String) throws {
    let environment = ProcessInfo.processInfo.environment["OPTRACE_TEST_SEED"].flatMap { Int($0) }
    let seed = environment ?? Int.random(in: 0..<1_000_000)
    var written = (grown: 0, whole: 0)
    for round in 0..<40 {
      var random = SeededGenerator(seed + round)
      var lines = kind == "blocks" ? RandomBlocks.lines(&random) : RandomTasks.lines(&random)
      if kind == "samples" { lines = sampled(lines, &random) }
      var cuts = (0..<random.number(1..<8)).map { _ in random.number(1..<lines.count) }.sorted()
      // Include steps without new events: they must not write old rows again.
      cuts += [lines.count, lines.count, lines.count, lines.count]
      var report = GrowingReport()
      var page = ReceivedPage()
      for (step, cut) in cuts.enumerated() {
        let trace = try trace(lines.prefix(cut))
        let analysis = step == 0 || cut == lines.count || random.chance(50) ? ReportAnalysis(of: trace) : nil
        try page.take(try bytes { try report.writeGrowth(to: trace, analysis: analysis, to: $0) })
        #expect(page.revision == report.revision && page.revision == step + 1)
        if step > 0 { written.grown += page.written }
      }
      // The trace did not change in the last three steps.
      #expect(page.written == 0, "seed \(seed + round)")
      var other = GrowingReport()
      var whole = ReceivedPage()
      try whole.take(try bytes { try other.writeWhole(try trace(lines), to: $0) })
      written.whole += whole.written * (cuts.count - 1)
      let (one, all) = (page.said(), whole.said())
      for (table, rows) in all { #expect(one[table] == rows, "\(table), seed \(seed + round)") }
      for figure in ["kinds", "counts", "groups", "end", "wall", "verdict", "activity"] {
        #expect(try page.figure(figure) == whole.figure(figure), "\(figure), seed \(seed + round)")
      }
    }
    #expect(written.grown * 2 < written.whole, "\(written)")
  }

  @Test("a page that missed a revision gets everything again, and continues from there")
  func wholes() throws {
    var random = SeededGenerator(1)
    let lines = RandomBlocks.lines(&random)
    var report = GrowingReport()
    var page = ReceivedPage()
    let half = try trace(lines.prefix(lines.count / 2))
    _ = try bytes { try report.writeGrowth(to: half, to: $0) }
    try page.take(try bytes { try report.writeWhole(half, to: $0) })
    #expect(page.revision == 2)
    try page.take(try bytes { try report.writeGrowth(to: try trace(lines), analysis: nil, to: $0) })
    var whole = ReceivedPage()
    try whole.take(try bytes { try report.writeWhole(try trace(lines), to: $0) })
    #expect(page.said()["moments"] == whole.said()["moments"])
  }

  @Test("a drawing comes with its boxes")
  func drawings() throws {
    var random = SeededGenerator(2)
    let trace = try trace(RandomBlocks.lines(&random))
    var report = GrowingReport()
    var page = ReceivedPage()
    func next(_ write: (ByteSinkOf) throws -> Void) throws -> String {
      let update = try bytes(write)
      try page.take(update)
      return String(decoding: update, as: UTF8.self)
    }
    #expect(try !next { try report.writeWhole(trace, to: $0) }.contains("\"graph\":"))
    var graph = EmbeddedGraph(svg: "<svg>\n</svg>", style: ".a{}")
    graph.folds = [GraphPicture.Fold(number: 7, members: [trace.operations[0].id])]
    let boxes = #""boxes":{"count":1,"columns":{"work":{"all":\#(trace.operations[0].id.rawValue)},"#
    let drawing = #""drawing":{"svg":["<svg>","</svg>"],"style":[".a{}"]}"#
    let update = try next { try report.writeGrowth(to: trace, graph: graph, to: $0) }
    #expect(update.contains(boxes) && update.contains(drawing) && page.written == 0)
    // The drawing stays until the next one.
    #expect(try !next { try report.writeGrowth(to: trace, to: $0) }.contains("\"graph\":"))
    // Whoever gets everything has a drawing, and needs the boxes.
    let whole = try next { try report.writeWhole(trace, to: $0) }
    #expect(whole.contains(boxes) && !whole.contains(drawing))
  }
}
