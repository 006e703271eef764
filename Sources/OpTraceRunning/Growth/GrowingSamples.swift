import OpTraceLive
package import OpTraceModel

/// The samples of a program that is being recorded: reads its trace as it grows, and hands out each sample once, in a
/// trace of the work around it.
///
/// Memory is bounded by the work that goes on, by what happens between two calls of ``take(before:)``, and by a limit
/// on finished work. Samples may be recorded later than others, because the recorder takes them out of the kernel's
/// buffers from time to time; these are handed out as soon as they are read.
package struct GrowingSamples {
  /// How far the reading has come.
  package enum Progress: Sendable {
    /// More can be read at once.
    case past
    case present
    /// The program has ended, or another trace has taken the place of this one. Everything was read.
    case over
  }

  private let path: String
  private var reader: LiveReader
  private var builder: TraceBuilder
  private var certainty = LiveCertainty()
  private var isOverwritten = false
  /// What was taken out in between, because there was too much to keep.
  private var taken: [Trace] = []
  private var mostWork = Self.usualWork
  /// When the builder was made, and the chunks that the reader had missed by then, which is none.
  private var began: Nanoseconds = 0
  private var missedBefore = 0
  private var missedNow = 0

  /// Everything up to this time on the trace's clock has been read; samples may still come late.
  package private(set) var known: Nanoseconds = 0
  /// The time of the last event.
  private var last: Nanoseconds = 0

  /// Finished work is kept for so long: it tells where tasks idle between the requests that they serve.
  private static let margin: Nanoseconds = 10_000_000_000
  /// How many pieces of a long task are kept.
  private static let pieces = 32
  /// With more work than this, samples are taken out early, and finished work is forgotten.
  private static let usualWork = 100_000
  /// How long a state is kept at least if parts of a ring were missed: what ended in them would stay in it for ever.
  private static let life: Nanoseconds = 60_000_000_000
  /// Samples are recorded in bursts, milliseconds apart. The clocks of two readers differ by less.
  private static let betweenBursts: Nanoseconds = 1_000_000

  /// - Parameter since: samples from before this time on the trace's clock are left out.
  /// - Throws: ``TraceError`` if there is no trace that can grow.
  package init(path: String, since: Nanoseconds) throws(TraceError) {
    self.path = path
    reader = try LiveReader(path: path)
    builder = TraceBuilder(growing: reader.header, forgets: true)
    builder.keepSamples(since: since)
  }

  package var header: TraceHeader { reader.header }
  /// How processor time is sampled; nil: it is not, or that is not yet read.
  package var profile: ProfileRecord? { builder.profile }
  /// How many chunks of a ring were overwritten before they were read: their samples are missing.
  package var missedChunks: Int { missedBefore + missedNow }

  // MARK: - Reading

  /// Reads what is new. O(new events).
  /// - Parameter patience: how long to read at most.
  package mutating func read(patience: Duration = .seconds(1)) -> Progress {
    let deadline = ContinuousClock.now + patience
    while true {
      let isOver = !LiveProcess.writes(reader.header)
      let asked = LiveProcess.now(of: reader.header)
      let news = reader.poll(isOver: isOver)
      switch news.state {
      case .cut, .replaced: return .over
      case .open, .closed, .gone: break
      }
      add(news)
      if news.hasMore || !taken.isEmpty {
        if !taken.isEmpty || ContinuousClock.now >= deadline { return .past }
        continue
      }
      if isOver || news.state == .closed { return .over }
      known = max(known, asked)
      beginAnewIfNeeded()
      return taken.isEmpty ? .present : .past
    }
  }

  private mutating func add(_ news: LiveReader.News) {
    builder.add(news)
    certainty.take(news, lostUntil: builder.lostUntil)
    isOverwritten = news.events.loss.overwrittenBytes > 0
    missedNow = news.missedChunks
    last = max(last, news.events.last?.time ?? 0)
    known = max(known, last)
    guard builder.workCount > mostWork else { return }
    takeAll()
    forget(before: last)
    // Work that goes on cannot be forgotten.
    mostWork = max(Self.usualWork, 2 * builder.workCount)
  }

  private mutating func beginAnewIfNeeded() {
    guard missedNow > 0, known - began > Self.life, let next = try? LiveReader(path: path) else { return }
    takeAll()
    let recorded = builder.lastSampleRecorded
    reader = next
    builder = TraceBuilder(growing: next.header, forgets: true)
    builder.keepSamples(since: .min, recordedAfter: recorded.map { $0 + Self.betweenBursts } ?? .min)
    certainty = LiveCertainty()
    (missedBefore, missedNow) = (missedChunks, 0)
    began = known
  }

  // MARK: - Taking

  /// Takes out the samples from before `time`, each with the trace of the work around it; usually one trace, none if
  /// there are no samples. O(size of the state).
  package mutating func take(before time: Nanoseconds) -> [Trace] {
    if builder.hasSamples(before: time) { taken.append(trace(before: time)) }
    forget(before: min(time, last))
    return takeEarly()
  }

  /// Takes what had to be taken out while reading, because there was too much to keep; nearly always nothing.
  package mutating func takeEarly() -> [Trace] {
    defer { taken = [] }
    return taken
  }

  /// The state at this moment, without forgetting anything. O(size of the state).
  package func trace() -> Trace { builder.snapshot() }

  private mutating func takeAll() {
    if builder.hasSamples(before: .max) { taken.append(trace(before: .max)) }
  }

  private mutating func trace(before time: Nanoseconds) -> Trace {
    let trace = builder.takeSamples(
      before: time, completeSince: isOverwritten ? certainty.incompleteUntil : nil,
      carried: Array(certainty.carried.keys))
    certainty.keep(workOf: trace)
    return trace
  }

  private mutating func forget(before time: Nanoseconds) {
    builder.forget(finishedBefore: time.subtractingReportingOverflow(Self.margin).partialValue, keeping: Self.pieces)
  }
}

extension LiveCertainty {
  /// Keeps evidence only about work of this trace; forgotten work needs none.
  fileprivate mutating func keep(workOf trace: Trace) {
    guard carried.count > 1024, carried.count > 2 * trace.workCount else { return }
    carried = carried.filter { trace.workIndex(of: $0.key) != nil }
  }
}
