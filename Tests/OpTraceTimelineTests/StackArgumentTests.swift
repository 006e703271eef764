import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceGraph
@testable import OpTracePage
import OpTracePageParts
@testable import OpTraceTimeline

/// Stacks of added operations and waiting threads, in timelines and tooltips.
@Suite("Stacks in timelines and pictures", .ownThread)
struct StackArgumentTests {
  /// Operation 1 waits in `take`, called by `transfer`, for 2; both were added in `load`.
  private func trace(short: String = "take(_:)") throws -> Trace {
    try TraceReader.read(
      bytes: Array(
        TypedTrace().text(
          """
          0 t0 image i1 build="a1" page=16 pages=4 "/home/photos"
          0 t0 image i2 build="b2" page=64 pages=4 "/usr/lib/libFoundation.so"
          0 t0 frame f1 image=i1 offset=16
          0 t0 frame f2 image=i2 offset=32 caller=f1 returns
          0 t0 frame f3 image=i1 offset=48 caller=f2 returns
          0 t0 frame f4 image=i2 offset=64 caller=f3 returns
          0 t0 frame f5 image=i1 offset=80
          0 t0 frame f6 image=i1 offset=96
          0 t0 symbol f1 short="main" line=3 file="/src/main.swift" module="Photos" "main"
          0 t0 symbol f3 short="\(short)" line=5 file="/src/main.swift" module="Photos" "take"
          0 t0 symbol f5 short="load()" line=11 file="/src/main.swift" module="Photos" "load"
          0 t0 symbol f6 short="make()" line=15 file="/src/main.swift" module="Photos" "make"
          10 t1 queue q1 limit=-1 "work"
          100 t1 created #1 class="A"
          100 t1 at f5
          110 t1 enqueued #1 queue=q1 priority=0
          110 t1 at f5
          115 t1 ready #1
          120 t1 created #2 class="B"
          120 t1 at f6
          130 t1 enqueued #2 queue=q1 priority=0
          140 t1 ready #2
          200 t2 started #1
          210 t2 began #1
          300 t2 wait #2
          400 t3 started #2
          410 t3 began #2
          10000400 t5 wait-lasts on=2 thread=t2 at=f4
          10000500 t5 mark #0 "end"
          """, in: .nanoseconds
        ).utf8))
  }

  private func bytes(_ write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try write { bytes += $0 }
    return bytes
  }

  @Test("a wait's slice has its stack and code, an operation's slice has the stack that added it")
  func arguments() throws {
    let trace = try trace()
    let text = String(decoding: try bytes { try ChromeTraceExporter(trace).write(to: $0) }, as: UTF8.self)
    #expect(
      text.contains(
        "\"function\":\"take(_:)\",\"file\":\"/src/main.swift\",\"line\":5,"
          + "\"stack\":\"take(_:) (main.swift:5) ← main (main.swift:3)\""))
    #expect(text.split(separator: "\"added by\":\"load() (main.swift:11)\"").count == 2)
    // An operation that was created at its submission site does not have a separate creation site.
    #expect(text.split(separator: "\"made by\":\"make() (main.swift:15)\"").count == 2)
    #expect(text.split(separator: "\"made by\"").count == 2)
    var bare = TimelineOptions()
    bare.includesArguments = false
    #expect(
      !String(decoding: try bytes { try ChromeTraceExporter(trace, options: bare).write(to: $0) }, as: UTF8.self)
        .contains("take"))
  }

  @Test("Perfetto's engine has an argument for each stack of the trace", .enabled(if: PerfettoEngine.isWanted))
  func perfetto() throws {
    for short in ["take(_:)", #"\u{1B}[31m\"}]<b>"#] {
      let trace = try trace(short: short)
      try FormatComparison.expectSame([.init(name: "stacks", trace: trace)])
      let packets = try bytes { try PerfettoTraceExporter(trace).write(to: $0) }
      let answer = try PerfettoEngine.load(
        packets, ending: "pftrace",
        "select count(*) as c from args where key = 'debug.stack'",
        "select count(*) as c from args where key = 'debug.added by'",
        "select count(*) as c from args where key = 'debug.made by'",
        "select count(*) as c from args where key in ('debug.function', 'debug.file', 'debug.line')")
      #expect(answer.error == nil && answer.problems.isEmpty)
      #expect(answer.results.map { $0.first?["c"]?.integer } == [1, 1, 1, 3])
    }
  }

  @Test("a tooltip shows what added an operation and where it waits")
  func tooltips() throws {
    let picture = GraphPicture(of: try trace())
    let tips = picture.nodes.map(\.tooltip).joined(separator: "\n")
    #expect(tips.contains("\nadded in load() (main.swift:11)\nwaits in take(_:) (main.swift:5)\n"))
    #expect(tips.split(separator: "added in").count == 2)
    #expect(tips.contains("\nmade in make() (main.swift:15)\n") && tips.split(separator: "made in").count == 2)
  }

  @Test("each frame occurs once in a report, with its callers, and a cycle is cut")
  func report() throws {
    var trace = try trace()
    func frames(_ trace: Trace) -> TableEncoder {
      ReportTables(
        trace, PageLanes(of: trace, .all), StuckPart(of: trace, Diagnosis(of: trace))
      ).frames
    }
    #expect(frames(trace).count == 6)
    trace.waits = []
    #expect(frames(trace).count == 2)
    let cycle = try TraceReader.read(
      bytes: Array(
        TypedTrace().text(
          """
          0 t0 frame f1 offset=16 caller=f2
          0 t0 frame f2 offset=32 caller=f1
          10 t1 queue q1 limit=-1 "work"
          100 t1 created #1 class="A"
          110 t1 enqueued #1 queue=q1 priority=0
          110 t1 at f1
          """, in: .nanoseconds
        ).utf8))
    #expect(frames(cycle).count == 2)
  }
}
