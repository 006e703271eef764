import OpTraceDoctor
import OpTraceLive
import OpTraceRunning
import Foundation
import OpTraceKernel
import OpTraceModel
import OpTraceText

/// A trace that is read again and again while its program runs, or once if its program has ended.
final class WatchedTrace {
  /// Its state at one moment.
  struct Reading {
    /// What is not over yet; everything if the program has ended.
    var trace: Trace
    var status: LiveStatus
    /// What capabilities show.
    var sections: [any LiveSection]
    var findings: [Finding]
    /// Nothing more will come.
    var isOver: Bool
    /// There is more to read: it is of an earlier moment.
    var isBehind = false
    /// The program, and what it does or how it ended.
    var title: String

    var frame: LiveFrame {
      var frame = LiveFrame(title: title, status: status)
      (frame.contributions, frame.findings) = (sections, findings)
      return frame
    }
  }

  let input: TraceInput
  let path: String
  private var reader: LiveReader?
  private var state: LiveState
  private var doctor = LiveDoctor(by: .command)
  private let names = LiveNames()
  private let threads: LiveThreads
  /// The trace, if its program has ended.
  private var whole: InputTrace?
  /// When the state was last reset, and how many chunks of the ring had been missed by then.
  private var began: Nanoseconds = 0
  private var missedBefore = 0

  /// Seconds until a finding is confirmed by a second reading.
  private static let confirmation = 1.0

  init(_ input: TraceInput) throws {
    self.input = input
    path = try input.location()
    threads = LiveThreads(path)
    let reader = input.canBeReadAgain && isTraceFile(path) ? try? LiveReader(path: path) : nil
    if let reader, LiveProcess.writes(reader.header) {
      self.reader = reader
      state = LiveState(reader.header, showing: .command)
    } else {
      state = LiveState(TraceHeader())
      whole = try input.read()
    }
  }

  /// Seconds until the next reading: one, or more if a reading is much work.
  var pause: Double { max(1, Double(cost) * Self.rest / 1e9) }

  /// Processor time of the last reading, without ``sections``.
  private var cost: Nanoseconds = 0
  /// Sections as they were last found, what that cost, and when they are found next. They have a pace of their own,
  /// so that everything else is up to date however many requests there are.
  private var sections = (last: SectionSet.command.empty, cost: Nanoseconds(0), next: Nanoseconds.min)
  /// Whether the last reading has reached the present.
  private var isPresent = false
  /// The pause after a reading, as a multiple of its cost.
  private static let rest = 9.0

  /// Throws the exit status of a damaged trace: see ``InputTrace/end()``.
  func end() throws { try whole?.end() }

  // MARK: - Reading

  /// Reads what is new.
  /// - Parameter patience: how long to read at most; the result is of what was read by then. Nil: up to the present.
  func reading(patience: Duration? = nil) throws -> Reading {
    let began = Self.processorTime
    sections.cost = 0
    let reading = try newReading(patience)
    // Reading the past is needed only once, so its cost does not count.
    cost = isPresent ? Self.processorTime - began - sections.cost : 0
    isPresent = !reading.isBehind
    return reading
  }

  private func newReading(_ patience: Duration?, isThorough: Bool = false) throws -> Reading {
    guard reader != nil else { return lastReading(of: whole?.trace ?? state.trace()) }
    let progress = try read(until: patience.map { ContinuousClock.now + $0 })
    guard let header = reader?.header else { return lastReading(of: state.trace()) }
    if progress == .over, let trace = wholeTrace(of: header) { return lastReading(of: trace) }
    var trace = state.trace()
    if progress == .present { names.lookUp(trace.stacks) }
    names.name(&trace)
    let now = progress == .present ? LiveProcess.now(of: header) : trace.end
    let status = state.status(of: trace, now: now)
    // Do not delay reading the past.
    if progress == .over || progress == .present && (isThorough || now >= sections.next) { findSections(now) }
    if progress == .present { examine(status, trace, isThorough: isThorough) }
    let what: String =
      switch progress {
      case .over: LiveProcess.ending(of: header)
      case .past: "runs; reading its past"
      case .present: LiveProcess.isStopped(header.processID) ? "is stopped" : "runs"
      }
    return Reading(
      trace: trace, status: status, sections: sections.last, findings: doctor.findings, isOver: progress == .over,
      isBehind: progress == .past,
      title: Self.title(of: header, what))
  }

  /// The same, with the names of all code, and with a second reading if the first one finds something. As the doctor of a living process, it
  /// looks at all threads before that, and does not ask whether an examination is due.
  func thoroughReading() throws -> Reading {
    names.isPatient = true
    var reading = try newReading(nil, isThorough: true)
    guard !reading.isOver else { return reading }
    let takesLong = (reading.status.executing.first?.time ?? 0) >= LiveThreads.lasting
    guard takesLong || doctor.isSuspicious else { return reading }
    if doctor.isSuspicious { Thread.sleep(forTimeInterval: Self.confirmation) }
    threads.ask(isPatient: true)
    reading = try newReading(nil, isThorough: true)
    return reading
  }

  /// How far the reading has come.
  private enum Progress { case past, present, over }

  /// Reads everything that is new, or until the deadline.
  private func read(until deadline: ContinuousClock.Instant?) throws -> Progress {
    while var reader {
      let isOver = !LiveProcess.writes(reader.header)
      let asked = LiveProcess.now(of: reader.header)
      let news = reader.poll(isOver: isOver)
      self.reader = reader
      switch news.state {
      case .cut:
        throw Failure(message: "\(input.name) was truncated while it was watched", status: .badInput)
      case .replaced:
        // Usually another run of the program; otherwise what was read stays.
        guard let next = try? LiveReader(path: path), LiveProcess.writes(next.header) else {
          state.take(news)
          return .over
        }
        (self.reader, state, doctor) = (next, LiveState(next.header, showing: .command), LiveDoctor(by: .command))
        (began, missedBefore) = (0, 0)
        sections.next = .min
        continue
      case .open, .closed, .gone: break
      }
      state.take(news, asked: news.hasMore ? 0 : isOver ? .max : asked)
      if news.hasMore {
        if let deadline, ContinuousClock.now >= deadline { return .past }
        continue
      }
      guard !isOver, news.state != .closed else { return .over }
      let now = LiveProcess.now(of: reader.header)
      guard state.missedChunks > missedBefore, now - began > Self.life else { return .present }
      // What ended in a missed part of the ring would stay for ever.
      guard let next = try? LiveReader(path: path) else { return .present }
      self.reader = next
      state.begin(anew: next.header)
      (began, missedBefore) = (now, 0)
    }
    return .over
  }

  /// How long a state is kept at least if parts of the ring were missed.
  private static let life: Nanoseconds = 10_000_000_000

  private func findSections(_ now: Nanoseconds) {
    let began = Self.processorTime
    sections.last = state.sections(now: now) { names.name(&$0) }
    sections.cost = Self.processorTime - began
    sections.next = now.saturating(max(1_000_000_000, Nanoseconds(Double(sections.cost) * Self.rest)))
  }

  private func examine(_ status: LiveStatus, _ trace: Trace, isThorough: Bool) {
    if !isThorough, let longest = status.executing.first, longest.time >= LiveThreads.lasting {
      threads.ask(seen: trace.snapshot?.time, now: status.now)
    }
    guard isThorough || doctor.isDue(status, trace) else { return }
    doctor.check(trace, now: status.now, stallAfter: DoctorReport.defaultStallAfter) { body in
      let began = Self.processorTime
      body()
      return Self.processorTime - began
    }
  }

  /// The processor time of this thread.
  private static var processorTime: Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
  }

  /// All of a trace whose program has ended while it was watched: its state keeps only what is not over. Nil: the file is gone, or is of
  /// another process.
  private func wholeTrace(of header: TraceHeader) -> Trace? {
    guard let trace = try? TraceReader.read(path: path) else { return nil }
    let isSame = trace.header.processID == header.processID && trace.header.startMonotonic == header.startMonotonic
    return isSame ? trace : nil
  }

  /// The state at the end of a trace whose program has ended.
  private func lastReading(of trace: Trace) -> Reading {
    var certainty = LiveCertainty()
    if trace.loss.overwrittenBytes > 0, input.canBeReadAgain, var reader = try? LiveReader(path: path) {
      var news = reader.poll(isOver: true)
      certainty.take(news, lostUntil: nil)
      while news.hasMore {
        news = reader.poll(isOver: true)
        certainty.take(news, lostUntil: nil)
      }
    }
    let status = LiveStatus(of: trace, now: trace.end, certainty: certainty)
    let sections = SectionSet.command.sections(
      of: trace, until: trace.end, completeSince: certainty.incompleteUntil)
    let findings = LiveDoctor.findings(of: trace, stallAfter: DoctorReport.defaultStallAfter, by: .command)
    return Reading(
      trace: trace, status: status, sections: sections, findings: findings, isOver: true,
      title: Self.title(
        of: trace.header, trace.origin == nil ? LiveProcess.ending(of: trace.header) : "was seen from outside"))
  }

  private static func title(of header: TraceHeader, _ state: String) -> String {
    let name = header.processName.isEmpty ? "process" : header.processName
    return "\(name) (\(header.processID)) \(state)"
  }
}

/// The names of a running program's code, looked up on another thread.
///
/// Sendable: the lock guards what changes.
private final class LiveNames: @unchecked Sendable {
  private let lock = NSLock()
  private var names: [(frame: FrameID, symbols: [SymbolRecord])] = []
  private var known: Set<FrameID> = []
  private var isBusy = false
  private var seen = 0
  /// Whether to wait for the names.
  var isPatient = false

  func name(_ trace: inout Trace) {
    let names = lock.withLock { self.names }
    if !names.isEmpty { trace.name(names) }
  }

  /// Looks up new addresses.
  func lookUp(_ stacks: StackTable) {
    guard !stacks.hasNames else { return }
    let addresses = stacks.addresses
    let isDue = lock.withLock {
      guard !isBusy, addresses.count > seen else { return false }
      (isBusy, seen) = (true, addresses.count)
      return true
    }
    guard isDue else { return }
    let known = lock.withLock { self.known }
    let work: @Sendable () -> Void = { [self] in
      let found = TraceSymbols(of: stacks, besides: known).names
      lock.withLock {
        names += found.map { (frame: $0.frame, symbols: $0.symbols) }
        self.known.formUnion(addresses.map(\.frame))
        isBusy = false
      }
    }
    if isPatient { work() } else { Thread(block: work).start() }
  }
}

/// Asks a program's recorder for a snapshot of its threads if an operation takes long; the snapshot comes in the trace.
///
/// Sendable: the lock guards what changes.
private final class LiveThreads: @unchecked Sendable {
  /// An operation that has been executing for so long is worth a snapshot.
  static let lasting: Nanoseconds = 1_000_000_000
  /// The pause between two snapshots.
  private static let pause: Nanoseconds = 5_000_000_000

  private let path: String
  private let lock = NSLock()
  private var isBusy = false
  private var asked: Nanoseconds?

  init(_ path: String) { self.path = path }

  /// Does not wait. `seen`: the time of the last snapshot.
  func ask(seen: Nanoseconds?, now: Nanoseconds) {
    let last = [seen, lock.withLock { asked }].compactMap { $0 }.max()
    guard last.map({ now - $0 >= Self.pause }) ?? true else { return }
    lock.withLock { asked = now }
    ask(isPatient: false)
  }

  func ask(isPatient: Bool) {
    let isFree = lock.withLock {
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else { return }
    let work: @Sendable () -> Void = { [self] in
      _ = FreshSnapshot.ask(path: path)
      lock.withLock { isBusy = false }
    }
    if isPatient { work() } else { Thread(block: work).start() }
  }
}
