import OpTraceLive
import OpTracePrediction
import Foundation
import OpTraceReport
import OpTraceModel

/// What pages of a living trace are told: each that asks gets what has changed since it asked last.
///
/// However many ask, the trace is read and looked at no more often than its costs allow: a tenth of a processor for all of it. Each
/// change is kept for those who ask later, as long as all that is kept is smaller than two wholes.
struct LivingPage {
  private struct Revision {
    /// The one that it goes on from; nil: it is a whole.
    var since: Int?
    var bytes: [UInt8]
  }

  private var growing: GrowingTrace
  private var report = GrowingReport()
  /// Each goes on from the one before it.
  private var revisions: [Revision] = []
  private var wholeSize = 0
  private var isGraphWanted = false
  /// The program has ended, and all has been told.
  private(set) var isOver = false

  private var growth = Pace(share: 0.05, least: 1)
  private var conclusions = Pace(share: 0.025, least: 1)
  private var drawings = Pace(share: 0.025, least: 1)

  /// The trace at a path, of which a process still writes; nil: none does, or what is there cannot grow.
  init?(path: String) {
    guard let growing = try? GrowingTrace(path: path), LiveProcess.writes(growing.header) else { return nil }
    self.growing = growing
  }

  /// The page itself, with all that there is so far.
  mutating func page() throws -> [UInt8] {
    let moment = try growing.now()
    revisions = []
    var bytes: [UInt8] = []
    let exporter = Report.exporter(for: moment.trace, isServed: true, isLive: true)
    try withProgress("making the page") { try exporter.write(to: { bytes.append(contentsOf: $0) }, growing: &report) }
    wholeSize = bytes.count
    return bytes
  }

  /// What a page needs that has `revision`, as JSON: `{"isOver", "again", "updates"}`. `again`: when to ask again, in milliseconds.
  mutating func news(since revision: Int?, withGraph: Bool) throws -> [UInt8] {
    if withGraph { isGraphWanted = true }
    if !isOver, growth.wait == 0 || !LiveProcess.writes(growing.header) { try goOn() }
    let updates = try updates(since: revision)
    var answer = Array("{\"isOver\":\(isOver),\"again\":\(Int(max(1, growth.wait) * 1000)),\"updates\":[".utf8)
    for (index, update) in updates.enumerated() {
      if index > 0 { answer += ",\n".utf8 }
      answer += update
    }
    answer += "]}".utf8
    return answer
  }

  /// Takes in how the trace is now.
  private mutating func goOn() throws {
    let start = Pace.Start()
    let moment: GrowingTrace.Moment
    do {
      moment = try growing.now()
    } catch {
      // Of a file that was spoiled nothing more will come than from its program.
      isOver = !LiveProcess.writes(growing.header)
      throw error
    }
    growth.spent(since: start)
    if moment.isOver { return try end(moment.trace) }
    moment.isAnew ? try addWhole(moment.trace) : try addGrowth(moment.trace)
  }

  private mutating func addGrowth(_ trace: Trace) throws {
    var analysis: ReportAnalysis?
    if conclusions.wait == 0 {
      let start = Pace.Start()
      analysis = ReportAnalysis(of: trace)
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
    try report.writeGrowth(to: trace, analysis: analysis, graph: graph) { bytes.append(contentsOf: $0) }
    add(bytes, since: since)
    growth.spent(since: start)
  }

  private mutating func addWhole(_ trace: Trace) throws {
    let start = Pace.Start()
    var bytes: [UInt8] = []
    try report.writeWhole(trace) { bytes.append(contentsOf: $0) }
    add(bytes, since: nil)
    growth.spent(since: start)
  }

  /// All of it once more, with what would help.
  private mutating func end(_ trace: Trace) throws {
    var bytes: [UInt8] = []
    try report.writeWhole(trace, graph: Report.graph(of: trace), whatIf: Report.whatIf(of: trace)?.pageJSON) {
      bytes.append(contentsOf: $0)
    }
    add(bytes, since: nil)
    isOver = true
  }

  /// From where a page is to the present. One whose place is not known is given the last whole and what came then; where none is
  /// kept, a new one.
  private mutating func updates(since revision: Int?) throws -> [[UInt8]] {
    if revision == report.revision { return [] }
    let isKnown = { (one: Revision) in one.since != nil && one.since == revision }
    if let first = revisions.firstIndex(where: isKnown) ?? revisions.lastIndex(where: { $0.since == nil }) {
      return revisions[first...].map(\.bytes)
    }
    try addWhole(try growing.now().trace)
    return revisions.map(\.bytes)
  }

  private mutating func add(_ bytes: [UInt8], since: Int?) {
    if since == nil {
      revisions = []
      wholeSize = bytes.count
    }
    revisions.append(Revision(since: since, bytes: bytes))
    // What is longer than a whole is not worth keeping.
    while revisions.count > 1, revisions.reduce(0, { $0 + $1.bytes.count }) > 2 * wholeSize {
      revisions.removeFirst()
    }
  }
}
