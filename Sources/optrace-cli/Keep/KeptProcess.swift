import OpTraceDoctor
import OpTraceRequests

#if os(Linux)
  import COpTrace
  import Foundation
  import OpTraceKernel
  import OpTraceKeeping
  import OpTraceRunning
  import OpTraceModel
  import OpTraceText

  /// A recorded process, watched for the conditions of `--keep-when`. Only signs are read of its trace
  /// (``WorkSignReader``); a part of it is analysed when they tell that a condition may be met.
  ///
  /// Times are on the system's monotonic clock, unless they are said to be on the trace's.
  final class KeptProcess {
    /// A condition and how it stands.
    private struct Watched {
      let condition: KeepCondition
      var pace = KeepPace()
      /// For `p99`.
      var share: SlowShare?
      /// For `request`: from when to when the units lasted that took longer and were not kept yet; on the trace's clock.
      var slow: ClosedRange<Nanoseconds>?
      /// What is told of the state that is to be kept.
      var reason = ""
      /// For `p99` and `finding`: not looked at more closely before.
      var notBefore: Nanoseconds = .min
      /// For `stall`: the silence that was judged already: since when it lasts, and how long it had lasted then.
      var judged: (since: Nanoseconds, silence: Nanoseconds) = (.min, 0)
      /// For `finding`: when a code was kept last.
      var codes: [DoctorCode: Nanoseconds] = [:]
    }

    let number: pid_t
    let path: String
    let began: UInt64
    /// Whether it still is what it was when it was found.
    private(set) var isOver = false

    private var reader: WorkSignReader
    private var units = UnitWatch()
    private var watched: [Watched]
    private let names: KeptNames
    private let processors: Double
    private var usedShare = UsedShare()
    private var missed = 0
    /// When it last used the processor, and how much it had used by then.
    private var lastUse: (time: Nanoseconds, used: Nanoseconds)
    /// The thread that was busy for long, and the mistakes, that the doctor was asked about, by their begin and number.
    private var asked = (busy: Nanoseconds.min, misuses: 0)

    /// A part of a ring that is analysed has at most so many bytes of events, so that memory is bounded.
    private static let most: UInt64 = 24 << 20
    /// How much earlier than the ten seconds, or than the unit, the part begins.
    private static let lead: Nanoseconds = 2_000_000_000
    private static let second: Nanoseconds = 1_000_000_000
    /// A process that uses less has not moved: see ``WatchedProcess``.
    private static let (quietShare, quietTime) = (0.02, 30_000_000 as Nanoseconds)
    /// A thread that is busy with one thing for so long is a reason to ask the doctor.
    private static let longBusy: Nanoseconds = 5_000_000_000
    /// A finding is kept again after this time.
    private static let findingPause: Nanoseconds = 3_600_000_000_000

    /// Nil: there is no trace that can be followed, or another process writes it.
    init?(_ number: pid_t, path: String, conditions: [KeepCondition], debugFile: String?) {
      guard let usage = ProcessUsage(of: number), let reader = try? WorkSignReader(path: path),
        reader.header.processID == UInt32(number), reader.header.mode == .flightRecorder
      else { return nil }
      (self.number, self.path, self.reader, began) = (number, path, reader, usage.began)
      watched = conditions.map { condition in
        var one = Watched(condition: condition)
        if case .p99(let limit, _) = condition.rule { one.share = SlowShare(limit: limit) }
        return one
      }
      names = KeptNames(debugFile: debugFile)
      processors = ProcessUsage.processors(of: reader.header)
      lastUse = (Self.now, usage.used)
    }

    /// How often conditions were met and not kept, because the last file was not a minute old.
    var unkept: [(condition: KeepCondition, count: Int)] {
      watched.compactMap { one in one.pace.waiting.map { (one.condition, $0.count) } }
    }

    /// The size of its ring in bytes.
    var ringSize: Int { Int(clamping: reader.header.capacity) }

    static var now: Nanoseconds { Nanoseconds(clamping: optrace_clock_monotonic()) }

    /// Converts a time of the trace to the system's clock.
    private func time(_ time: Nanoseconds) -> Nanoseconds {
      Nanoseconds(clamping: reader.header.startMonotonic) &+ time
    }

    // MARK: - Looks

    /// Reads what is new, and keeps the ring where a condition is met. Returns the number of bytes that were new.
    func look(_ keeping: KeepWatch.Keeping) -> Int {
      let now = Self.now
      guard let usage = ProcessUsage(of: number), usage.began == began else {
        isOver = true
        return 0
      }
      let look = reader.look()
      guard look.isSame else {
        isOver = true
        return 0
      }
      if look.missedChunks > missed {
        missed = look.missedChunks
        units.missed()
      }
      for sign in look.signs { units.take(sign) }
      note(usage, now)
      let ended = units.takeUnits()
      if units.needsLesson, keeping.budget.allows(now) { learn(keeping, now) }
      for index in watched.indices {
        note(index, usage, ended, look.knownUntil, now)
        act(index, keeping, now)
      }
      return look.bytes
    }

    private func note(_ usage: ProcessUsage, _ now: Nanoseconds) {
      let used = usage.used - lastUse.used
      let elapsed = now - lastUse.time
      if usage.isStopped || used > Self.quietTime + Nanoseconds(Self.quietShare * Double(elapsed)) {
        lastUse = (now, usage.used)
      }
    }

    /// When anything was last seen to move.
    private var lastMove: Nanoseconds { max(lastUse.time, time(units.lastMove)) }

    private func note(
      _ index: Int, _ usage: ProcessUsage, _ ended: [UnitWatch.Unit], _ known: Nanoseconds, _ now: Nanoseconds
    ) {
      switch watched[index].condition.rule {
      case .request(let limit):
        for unit in ended where unit.length > limit {
          let slow = watched[index].slow
          watched[index].slow =
            min(slow?.lowerBound ?? unit.began, unit.began)...max(slow?.upperBound ?? unit.ended, unit.ended)
          watched[index].pace.happened(at: now)
        }
      case .p99:
        for unit in ended { watched[index].share?.take(unit) }
        let holds = now >= watched[index].notBefore && watched[index].share?.maybe(known) == true
        watched[index].pace.note(holds, at: now)
      case .cpu(let share):
        guard let used = usedShare.note(used: usage.used, at: now, processors: processors) else { return }
        watched[index].reason = KeepWords.cpu(watched[index].condition, share: used, processors: processors)
        watched[index].pace.note(used >= share, at: now)
      case .rss(let size):
        watched[index].reason = KeepWords.rss(watched[index].condition, bytes: usage.rss)
        watched[index].pace.note(usage.rss >= size, at: now)
      case .stall, .finding: break
      }
    }

    private func act(_ index: Int, _ keeping: KeepWatch.Keeping, _ now: Nanoseconds) {
      let condition = watched[index].condition
      switch condition.rule {
      case .stall(let timeout): judgeSilence(index, timeout, keeping, now)
      case .finding(let severity): askDoctor(index, severity, keeping, now)
      case .request(let limit):
        guard watched[index].pace.isDue(now), keeping.budget.allows(now), let slow = watched[index].slow else { return }
        watched[index].slow = nil
        keep(index, keeping, now) { try self.examine($0, slow, limit, condition) }
      case .p99(let limit, let kind):
        guard watched[index].pace.isDue(now), keeping.budget.allows(now) else { return }
        keep(index, keeping, now) { try self.examine($0, index, limit, kind) }
      case .cpu, .rss:
        guard watched[index].pace.isDue(now) else { return }
        keep(index, keeping, now, reason: watched[index].reason)
      }
    }

    /// Keeps the ring, if an examination of the copy confirms it.
    private func keep(
      _ index: Int, _ keeping: KeepWatch.Keeping, _ now: Nanoseconds, reason: String = "",
      _ examine: ((String) throws -> Keeper.Verdict)? = nil
    ) {
      let cost = KeepWatch.processorTime
      let condition = watched[index].condition
      let isKept = keeping.keep(path, condition, reason: reason, names: names, examine: examine)
      guard isKept else {
        keeping.budget.spend(KeepWatch.processorTime - cost)
        watched[index].pace.dropped()
        return
      }
      watched[index].pace.kept(at: now)
    }

    // MARK: - Closer looks

    /// Reads the newest part of a trace, with the names of its code, and learns from it.
    /// - Parameter since: on the trace's clock.
    private func read(_ path: String, since time: Nanoseconds) throws -> (trace: Trace, codes: [FrameID?]) {
      var trace = try TraceReader.readNewest(path: path, since: time, atMost: Self.most)
      // Naming replaces them.
      let codes = trace.tasks.map(\.code)
      names.name(&trace)
      return (trace, codes)
    }

    private func learn(_ requests: Requests, _ codes: [FrameID?]) {
      var shapes: [UInt32: UnitWatch.Shape] = [:]
      for (code, shape) in zip(codes, requests.shapes) {
        guard let code else { continue }
        shapes[code.rawValue] = UnitWatch.Shape(idle: Set(shape.idle.map(\.rawValue)), handsOn: shape.handsOn)
      }
      units.learn(shapes)
    }

    private func learn(_ keeping: KeepWatch.Keeping, _ now: Nanoseconds) {
      let cost = KeepWatch.processorTime
      if let read = try? read(path, since: LiveProcess.now(of: reader.header) - SlowShare.window) {
        learn(Requests(of: read.trace, depth: .figures), read.codes)
      } else {
        units.learn([:])
      }
      keeping.budget.spend(KeepWatch.processorTime - cost)
    }

    private func examine(
      _ copy: String, _ slow: ClosedRange<Nanoseconds>, _ limit: Nanoseconds, _ condition: KeepCondition
    ) throws -> Keeper.Verdict {
      let (trace, codes) = try read(copy, since: min(slow.lowerBound, slow.upperBound - SlowShare.window) - Self.lead)
      let window = (slow.lowerBound - Self.lead)...max(trace.end, slow.upperBound)
      let requests = Requests(of: trace, within: window, depth: .figures)
      learn(requests, codes)
      let found = requests.units.filter { $0.length > limit && $0.ended >= slow.lowerBound }
      guard !found.isEmpty else { return .discard }
      let told = found.map { (kind: requests.kinds[Int($0.kind)].name, length: $0.length) }
      return .keep(reason: KeepWords.request(condition, told), stacks: trace.stacks)
    }

    private func examine(
      _ copy: String, _ index: Int, _ limit: Nanoseconds, _ kind: String?
    ) throws -> Keeper.Verdict {
      let end = LiveProcess.now(of: reader.header)
      let (trace, codes) = try read(copy, since: end - SlowShare.window - Self.lead)
      let window = (trace.end - SlowShare.window)...trace.end
      let requests = Requests(of: trace, within: window, depth: .figures)
      learn(requests, codes)
      let kinds = requests.kinds.filter { $0.count >= SlowShare.fewest && (kind == nil || $0.name == kind) }
      guard let slowest = kinds.filter({ $0.p99 > limit }).max(by: { $0.p99 < $1.p99 }) else {
        let smallest = kinds.map(\.count).min() ?? requests.units.count
        watched[index].share?.learn(smallest: smallest, of: requests.units.count)
        watched[index].notBefore = Self.now + SlowShare.window
        return .discard
      }
      let reason = KeepWords.p99(watched[index].condition, of: slowest.name, slowest.p99, count: slowest.count)
      return .keep(reason: reason, stacks: trace.stacks)
    }

    /// Whether a program in which nothing has moved is stuck. A silence is judged again when it has become twice as long,
    /// because some findings are proven only by a state that lasts.
    private func judgeSilence(
      _ index: Int, _ timeout: Nanoseconds, _ keeping: KeepWatch.Keeping, _ now: Nanoseconds
    ) {
      let since = lastMove
      let silence = now - since
      guard silence >= timeout, watched[index].pace.mayBeKept(now),
        watched[index].judged.since != since
          || silence >= 2 * max(Self.second / 2, watched[index].judged.silence), keeping.budget.allows(now)
      else { return }
      watched[index].judged = (since, silence)
      let cost = KeepWatch.processorTime
      // What its threads do now is in the kept file then. It takes processor time, which is no movement.
      _ = FreshSnapshot.ask(path: path)
      if let usage = ProcessUsage(of: number) { lastUse.used = usage.used }
      guard let (trace, _) = try? read(path, since: LiveProcess.now(of: reader.header) - SlowShare.window) else {
        return
      }
      if let move = trace.lastMove, time(move) > now - timeout {
        lastUse.time = max(lastUse.time, time(move))
        return keeping.budget.spend(KeepWatch.processorTime - cost)
      }
      let report = DoctorReport(
        of: DoctorReport.Reading(trace, now: LiveProcess.now(of: trace)),
        stallAfter: min(DoctorReport.defaultStallAfter, timeout / 5 * 2), by: .command)
      let isComputing = trace.snapshot?.threads.contains(where: \.isComputing) == true
      let isStuck =
        [.deadlocked, .stalled, .suspected].contains(report.verdict) || report.isStandstill && report.doors.isEmpty
      guard trace.hasOpenWork, isStuck, !isComputing else {
        return keeping.budget.spend(KeepWatch.processorTime - cost)
      }
      watched[index].reason = KeepWords.stall(watched[index].condition, answer: report.answer)
      watched[index].pace.happened(at: now)
      keep(index, keeping, now, reason: watched[index].reason)
      // Until something moves it is the same stall.
      watched[index].judged.silence = .max / 2
    }

    // MARK: - The doctor

    /// Asks the doctor as often as its cost allows, and at once if something hints at a finding. As for every running
    /// program, two readings have to agree.
    private func askDoctor(
      _ index: Int, _ severity: KeepCondition.Severity, _ keeping: KeepWatch.Keeping, _ now: Nanoseconds
    ) {
      if watched[index].notBefore == .min { watched[index].notBefore = now + 10 * Self.second }
      let busy = units.longestBusy.flatMap { now - time($0) >= Self.longBusy ? $0 : nil }
      let isSilent = now - lastMove >= Self.longBusy && asked.busy != units.lastMove
      let hasHint = busy != nil && busy != asked.busy || units.misuses > asked.misuses || isSilent
      guard hasHint || now >= watched[index].notBefore, keeping.budget.allows(now),
        watched[index].pace.mayBeKept(now)
      else { return }
      asked = (busy ?? units.lastMove, units.misuses)
      let cost = KeepWatch.processorTime
      let isKept = examine(index, severity, keeping, now)
      let spent = KeepWatch.processorTime - cost
      if !isKept { keeping.budget.spend(spent) }
      watched[index].notBefore = Self.now + max(10 * Self.second, spent * Nanoseconds(LookBudget.share))
    }

    private func examine(
      _ index: Int, _ severity: KeepCondition.Severity, _ keeping: KeepWatch.Keeping, _ now: Nanoseconds
    ) -> Bool {
      let condition = watched[index].condition
      let codes = watched[index].codes
      func news(_ report: DoctorReport) -> [Finding] {
        report.findings.filter { finding in
          (finding.severity == .error || finding.severity == .warning && severity == .warning)
            && codes[finding.code].map { now - $0 >= Self.findingPause } ?? true
        }
      }
      let since = LiveProcess.now(of: reader.header) - SlowShare.window - Self.lead
      guard let (trace, readCodes) = try? read(path, since: since) else { return false }
      learn(Requests(of: trace, depth: .figures), readCodes)
      let first = DoctorReport.Reading(trace, now: LiveProcess.now(of: trace))
      guard !news(DoctorReport(of: first, by: .command)).isEmpty, keeping.wait(seconds: 1) else { return false }
      _ = FreshSnapshot.ask(path: path)
      var found: [Finding] = []
      watched[index].pace.happened(at: now)
      keep(index, keeping, now) { copy in
        let (again, _) = try self.read(copy, since: since)
        found = news(DoctorReport(of: first, then: .init(again, now: again.end), by: .command))
        guard let worst = found.first else { return .discard }
        return .keep(reason: KeepWords.finding(condition, worst), stacks: again.stacks)
      }
      for finding in found { watched[index].codes[finding.code] = now }
      return !found.isEmpty
    }
  }
#endif
