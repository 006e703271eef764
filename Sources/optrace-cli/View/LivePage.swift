import OpTraceRunning
import OpTracePrediction
import Foundation
import OpTraceGraph
import OpTracePage
import OpTracePageParts
import OpTraceModel

/// The updates for pages of a growing trace: each page gets what has changed since its last request.
///
/// However many pages ask, reading and analysing the trace takes at most a tenth of a processor. Updates are kept for later requests as
/// long as they are smaller, all together, than two complete pages.
struct LivePage {
  private struct Revision {
    /// The revision that it continues; nil: it is complete by itself.
    var since: Int?
    var bytes: [UInt8]
  }

  private var growing: GrowingTrace
  private var report = GrowingReport(page: .command)
  /// Each one continues the one before it.
  private var revisions: [Revision] = []
  private var completeSize = 0
  private var isGraphWanted = false
  /// The program has ended, and the last update has everything.
  private(set) var isOver = false

  private var growth = Pace(share: 0.05, least: 1)
  private var conclusions = Pace(share: 0.025, least: 1)
  private var drawings = Pace(share: 0.025, least: 1)

  /// Nil: no process writes the trace any more, or it is in a form that cannot grow.
  init?(path: String) {
    guard let growing = try? GrowingTrace(path: path), LiveProcess.writes(growing.header) else { return nil }
    self.growing = growing
  }

  /// The page itself, with everything recorded so far.
  mutating func page() throws -> [UInt8] {
    let moment = try growing.now()
    revisions = []
    var bytes: [UInt8] = []
    let exporter = Report.exporter(for: moment.trace, isServed: true, isLive: true)
    try withProgress("making the page") { try exporter.write(to: { bytes.append(contentsOf: $0) }, growing: &report) }
    completeSize = bytes.count
    return bytes
  }

  /// The updates for a page that has `revision`, as JSON: `{"isOver", "again", "updates"}`. `again`: when to ask again, in milliseconds.
  mutating func news(since revision: Int?, withGraph: Bool) throws -> [UInt8] {
    if withGraph { isGraphWanted = true }
    if !isOver, growth.wait == 0 || !LiveProcess.writes(growing.header) { try readOn() }
    let updates = try updates(since: revision)
    var answer = Array("{\"isOver\":\(isOver),\"again\":\(Int(max(1, growth.wait) * 1000)),\"updates\":[".utf8)
    for (index, update) in updates.enumerated() {
      if index > 0 { answer += ",\n".utf8 }
      answer += update
    }
    answer += "]}".utf8
    return answer
  }

  /// Reads what is new in the trace.
  private mutating func readOn() throws {
    let start = Pace.Start()
    let moment: GrowingTrace.Moment
    do {
      moment = try growing.now()
    } catch {
      // The file was damaged or replaced: there is more to come only while its program runs.
      isOver = !LiveProcess.writes(growing.header)
      throw error
    }
    growth.spent(since: start)
    if moment.isOver { return try end(moment.trace) }
    moment.isAnew ? try addComplete(moment.trace) : try addGrowth(moment.trace)
  }

  private mutating func addGrowth(_ trace: Trace) throws {
    var analysis: ReportAnalysis?
    if conclusions.wait == 0 {
      let start = Pace.Start()
      analysis = ReportAnalysis(of: trace, for: .command)
      conclusions.spent(since: start)
    }
    var graph: EmbeddedGraph?
    if isGraphWanted, drawings.wait == 0 {
      let start = Pace.Start()
      graph = Report.graph(of: trace)
      drawings.spent(since: start)
      isGraphWanted = false
    }
    let start = Pace.Start()
    var bytes: [UInt8] = []
    let since = report.revision
    try report.writeGrowth(to: trace, analysis: analysis, contents: graph.map { [$0.content] } ?? []) {
      bytes.append(contentsOf: $0)
    }
    add(bytes, since: since)
    growth.spent(since: start)
  }

  private mutating func addComplete(_ trace: Trace) throws {
    let start = Pace.Start()
    var bytes: [UInt8] = []
    try report.writeWhole(trace, contents: []) { bytes.append(contentsOf: $0) }
    add(bytes, since: nil)
    growth.spent(since: start)
  }

  /// Everything once more, with predictions.
  private mutating func end(_ trace: Trace) throws {
    var bytes: [UInt8] = []
    let contents = Report.graph(of: trace).map { [$0.content] } ?? []
    try report.writeWhole(trace, contents: contents, whatIf: Report.whatIf(of: trace)?.pageJSON) {
      bytes.append(contentsOf: $0)
    }
    add(bytes, since: nil)
    isOver = true
  }

  /// The updates from a page's revision to the present. If that revision is not known, the last complete update and those after it; if
  /// none is kept, a new one.
  private mutating func updates(since revision: Int?) throws -> [[UInt8]] {
    if revision == report.revision { return [] }
    let isKnown = { (one: Revision) in one.since != nil && one.since == revision }
    if let first = revisions.firstIndex(where: isKnown) ?? revisions.lastIndex(where: { $0.since == nil }) {
      return revisions[first...].map(\.bytes)
    }
    try addComplete(try growing.now().trace)
    return revisions.map(\.bytes)
  }

  private mutating func add(_ bytes: [UInt8], since: Int?) {
    if since == nil {
      revisions = []
      completeSize = bytes.count
    }
    revisions.append(Revision(since: since, bytes: bytes))
    // A complete page is cheaper than older updates that are longer.
    while revisions.count > 1, revisions.reduce(0, { $0 + $1.bytes.count }) > 2 * completeSize {
      revisions.removeFirst()
    }
  }
}
