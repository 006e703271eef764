import OpTraceAnalysis
import OpTraceModel
import Testing

@testable import OpTraceTimeline

/// One timeline as JSON and as protobuf, as Perfetto's engine reads both.
enum FormatComparison {
  struct Case {
    var name: String
    var trace: Trace
    var options = TimelineOptions()
  }

  /// Everything visible of slices and instants: track, time, parent and arguments.
  private static let slices = """
    select s.ts as ts, s.dur as dur, s.name as name, s.category as category, s.depth as depth, t.name as track,
      t.tid as tid, p.name as process, p.pid as pid, parent.name as parent,
      (select group_concat(line, ', ') from (select replace(replace(key, 'args.', ''), 'debug.', '') || '='
        || coalesce(string_value, int_value, real_value) as line from args a where a.arg_set_id = s.arg_set_id
        order by 1)) as arguments
    from slice s left join thread_track k on s.track_id = k.id left join thread t using (utid)
    left join process_track q on s.track_id = q.id left join process p on p.upid = coalesce(t.upid, q.upid)
    left join slice parent on s.parent_id = parent.id order by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    """
  private static let queries = [
    slices,
    """
    select a.name as source, a.ts as source_ts, b.name as target, b.ts as target_ts, a.category as one, b.category as other
    from flow join slice a on slice_out = a.id join slice b on slice_in = b.id order by 1, 2, 3, 4
    """,
    """
    select c.ts as ts, c.value as value, t.name as name, p.name as process, p.pid as pid
    from counter c join process_counter_track t on c.track_id = t.id join process p using (upid) order by 1, 2, 3, 4, 5
    """,
    "select pid, name from process order by 1, 2",
    """
    select t.tid as tid, t.name as name, p.pid as pid from thread_track join thread t using (utid)
    join process p using (upid) order by 1, 2, 3
    """,
    "select ts from slice where ts < 0 or dur < 0 union all select ts from counter where ts < 0",
  ]

  static func protobuf(
    _ trace: Trace, _ options: TimelineOptions = TimelineOptions()
  ) throws -> ([UInt8], TimelineCounts) {
    var bytes: [UInt8] = []
    let counts = try PerfettoTraceExporter(trace, options: options).write { bytes += Array($0) }
    return (bytes, counts)
  }

  /// Starts the engine once. Nothing is lost, everything that was counted is there, and both formats are the same.
  static func expectSame(_ cases: [Case]) throws {
    var files: [(bytes: [UInt8], ending: String)] = []
    var counts: [TimelineCounts] = []
    for one in cases {
      let (json, jsonCounts) = try ChromeTraceTests.export(one.trace, one.options)
      let (protobuf, protobufCounts) = try protobuf(one.trace, one.options)
      #expect(jsonCounts == protobufCounts, "\(one.name)")
      files += [(json, "json"), (protobuf, "pftrace")]
      counts.append(protobufCounts)
    }
    let answers = try PerfettoEngine.load(files, queries)
    try #require(answers.count == files.count)
    for (index, one) in cases.enumerated() {
      expectSame(one.name, answers[2 * index], answers[2 * index + 1], counts[index])
    }
  }

  private static func expectSame(
    _ name: String, _ json: PerfettoEngine.Answer, _ protobuf: PerfettoEngine.Answer, _ counts: TimelineCounts
  ) {
    #expect(protobuf.error == nil, "\(name)")
    #expect(protobuf.problems.map(\.name) == [], "\(name)")
    guard json.results.count == queries.count, protobuf.results.count == queries.count else {
      Issue.record("\(name): one of the files was not loaded")
      return
    }
    func text(_ row: [String: PerfettoEngine.Cell]) -> String {
      row.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
    for (index, (one, other)) in zip(json.results, protobuf.results).enumerated() {
      var counts: [String: Int] = [:]
      for row in one { counts[text(row), default: 0] += 1 }
      for row in other { counts[text(row), default: 0] -= 1 }
      for (row, count) in counts.sorted(by: { $0.key < $1.key }).filter({ $0.value != 0 }).prefix(6) {
        Issue.record("\(name), query \(index): \(abs(count)) more in \(count > 0 ? "JSON" : "protobuf"): \(row)")
      }
    }
    let instants = protobuf.results[0].count - counts.slices
    #expect(instants == counts.instants, "\(name)")
    #expect(protobuf.results[1].count == counts.arrows + counts.submissionArrows + counts.resumptionArrows, "\(name)")
    #expect(protobuf.results[2].count == counts.counterValues, "\(name)")
    #expect(protobuf.results[5].isEmpty, "\(name): negative times")
  }
}
