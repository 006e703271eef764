import OpTraceLive
import Foundation
import OpTraceAnalysis
import OpTraceModel
import OpTraceText

/// A trace that is looked at again and again while its program runs; one whose program has ended is looked at once.
final class WatchedTrace {
  /// What it shows at a moment.
  struct Look {
    /// All that is not over; of a trace that is over all.
    var trace: Trace
    var status: LiveStatus
    var findings: [Finding]
    /// There is no more to come.
    var isOver: Bool
    /// It is of a moment that is past: there is more to read at once.
    var isBehind = false
    /// What the program is, and what became of it.
    var title: String

    var frame: LiveFrame {
      var frame = LiveFrame(title: title, status: status)
      frame.findings = findings
      return frame
    }
  }

  let input: TraceInput
  /// Where it is.
  let path: String
  private var reader: LiveReader?
  private var state: LiveState
  private var doctor = LiveDoctor()
  private let names = LiveNames()
  private let threads: LiveThreads
  /// What was read of a trace that is over.
  private var whole: InputTrace?
  /// When the state was begun anew last, and the chunks of the ring that had been missed by then.
  private var began: Nanoseconds = 0
  private var missedBefore = 0

  /// Where a second look is worth the wait.
  private static let secondLook = 1.0

  init(_ input: TraceInput) throws {
    self.input = input
    path = try input.location()
    threads = LiveThreads(path)
    let reader = input.canBeReadAgain && isTraceFile(path) ? try? LiveReader(path: path) : nil
    if let reader, LiveProcess.writes(reader.header) {
      self.reader = reader
      state = LiveState(reader.header)
    } else {
      state = LiveState(TraceHeader())
      whole = try input.read()
    }
  }

  /// How long to wait for the next look, in seconds: one, and more where a look is much work.
  var pause: Double { max(1, Double(cost) * Self.rest / 1e9) }

  /// Processor time of the last look.
  private var cost: Nanoseconds = 0
  /// The last look has reached the present.
  private var isPresent = false
  /// A look is followed by so many times its own cost without one.
  private static let rest = 9.0

  /// The state of a trace that was damaged: see ``InputTrace/end()``.
  func end() throws { try whole?.end() }

  // MARK: - Looks

  /// What is new.
  /// - Parameter patience: how long to read at most; what is found by then is shown. Nil: up to the present.
  func look(patience: Duration? = nil) throws -> Look {
    let began = Self.processorTime
    let look = try newLook(patience)
    // The way to the present is gone once.
    cost = isPresent ? Self.processorTime - began : 0
    isPresent = !look.isBehind
    return look
  }

  private func newLook(_ patience: Duration?) throws -> Look {
    guard reader != nil else { return lastLook() }
    let progress = try read(until: patience.map { ContinuousClock.now + $0 })
    guard let header = reader?.header else { return lastLook() }
    var trace = state.trace()
    if progress == .present { names.lookUp(trace.stacks) }
    names.name(&trace)
    let now = progress == .present ? LiveProcess.now(of: header) : trace.end
    let status = state.status(of: trace, now: now)
    if progress == .present { examine(status, trace) }
    let what: String =
      switch progress {
      case .over: LiveProcess.ending(of: header)
      case .past: "runs; reading what is past"
      case .present: LiveProcess.isStopped(header.processID) ? "is stopped" : "runs"
      }
    return Look(
      trace: trace, status: status, findings: doctor.findings, isOver: progress == .over, isBehind: progress == .past,
      title: Self.title(of: header, what))
  }

  /// The same, with the names of all code, and with a second look where the first one finds something.
  func thoroughLook() throws -> Look {
    guard reader != nil else { return lastLook() }
    names.isPatient = true
    var look = try look()
    if !look.isOver, (look.status.executing.first?.time ?? 0) >= LiveThreads.lasting {
      threads.ask(isPatient: true)
      look = try self.look()
    }
    if !look.isOver, doctor.isSuspicious {
      Thread.sleep(forTimeInterval: Self.secondLook)
      look = try self.look()
    }
    return look
  }

  /// How far the reading has come.
  private enum Progress { case past, present, over }

  /// Reads all that is new.
  private func read(until deadline: ContinuousClock.Instant?) throws -> Progress {
    while var reader {
      let isOver = !LiveProcess.writes(reader.header)
      let asked = LiveProcess.now(of: reader.header)
      let news = reader.poll(isOver: isOver)
      self.reader = reader
      switch news.state {
      case .cut:
        throw Failure(message: "\(input.name) was cut while it was watched", status: .badInput)
      case .replaced:
        // Another run of the program, as a rule; else what was read stays.
        guard let next = try? LiveReader(path: path), LiveProcess.writes(next.header) else {
          state.take(news)
          return .over
        }
        (self.reader, state, doctor) = (next, LiveState(next.header), LiveDoctor())
        (began, missedBefore) = (0, 0)
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
      // What ended in a part of the ring that was missed would stay for good.
      guard let next = try? LiveReader(path: path) else { return .present }
      self.reader = next
      state.begin(anew: next.header)
      (began, missedBefore) = (now, 0)
    }
    return .over
  }

  /// How long a state lasts at least that a ring was too fast for.
  private static let life: Nanoseconds = 10_000_000_000

  private func examine(_ status: LiveStatus, _ trace: Trace) {
    if let longest = status.executing.first, longest.time >= LiveThreads.lasting {
      threads.ask(seen: trace.snapshot?.time, now: status.now)
    }
    guard doctor.isDue(status, trace) else { return }
    doctor.check(trace, now: status.now, stallAfter: DoctorReport.defaultStallAfter) { body in
      let began = Self.processorTime
      body()
      return Self.processorTime - began
    }
  }

  /// Of this thread, up to now.
  private static var processorTime: Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
  }

  /// The end of a trace that is over.
  private func lastLook() -> Look {
    let trace = whole?.trace ?? state.trace()
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
    let findings = LiveDoctor.findings(of: trace, stallAfter: DoctorReport.defaultStallAfter)
    return Look(
      trace: trace, status: status, findings: findings, isOver: true,
      title: Self.title(of: trace.header, LiveProcess.ending(of: trace.header)))
  }

  private static func title(of header: TraceHeader, _ state: String) -> String {
    let name = header.processName.isEmpty ? "process" : header.processName
    return "\(name) (\(header.processID)) \(state)"
  }
}

/// What the code of a living program is called: its names are looked up beside the watching.
///
/// Sendable: the lock guards what changes.
private final class LiveNames: @unchecked Sendable {
  private let lock = NSLock()
  private var names: [(frame: FrameID, symbols: [SymbolRecord])] = []
  private var known: Set<FrameID> = []
  private var isBusy = false
  private var seen = 0
  /// Names are waited for.
  var isPatient = false

  func name(_ trace: inout Trace) {
    let names = lock.withLock { self.names }
    if !names.isEmpty { trace.name(names) }
  }

  /// Looks up what is new.
  func lookUp(_ stacks: StackTable) {
    guard !stacks.hasNames else { return }
    let places = stacks.addresses
    let isDue = lock.withLock {
      guard !isBusy, places.count > seen else { return false }
      (isBusy, seen) = (true, places.count)
      return true
    }
    guard isDue else { return }
    let known = lock.withLock { self.known }
    let work: @Sendable () -> Void = { [self] in
      let found = TraceSymbols(of: stacks, besides: known).names
      lock.withLock {
        names += found.map { (frame: $0.frame, symbols: $0.symbols) }
        self.known.formUnion(places.map(\.frame))
        isBusy = false
      }
    }
    if isPatient { work() } else { Thread(block: work).start() }
  }
}

/// Asks a program's recorder what its threads do, when something lasts: the answer comes in the trace.
///
/// Sendable: the lock guards what changes.
private final class LiveThreads: @unchecked Sendable {
  /// What has been executing for so long has a reason that is worth a look.
  static let lasting: Nanoseconds = 1_000_000_000
  /// Between two questions.
  private static let pause: Nanoseconds = 5_000_000_000

  private let path: String
  private let lock = NSLock()
  private var isBusy = false
  private var asked: Nanoseconds?

  init(_ path: String) { self.path = path }

  /// Does not wait. `seen`: the last answer.
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
