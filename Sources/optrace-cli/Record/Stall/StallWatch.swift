import OpTraceDoctor

#if os(Linux)
  import Foundation
  import OpTraceKernel
  import OpTraceFormat
  import OpTraceRunning
  import OpTraceModel
  import OpTraceText

  /// Watches all recorded processes of a run for `--stall-timeout`. While they work, this costs little: the processor
  /// times of the machine's processes, a few times per second. A trace is read only while its process hardly uses the
  /// processor, and each time only what is new.
  final class StallWatch {
    /// Seconds between two checks.
    static let pause = 0.25

    private let timeout: StallTimeout
    private let notes: RecordNotes
    private var watched: [pid_t: WatchedProcess] = [:]
    private var unrecorded: UnrecordedProcesses
    /// Processes that have noted a trace.
    private var recorded: Set<pid_t> = []
    /// Traces of processes that cannot be followed any more, or never could.
    private var ignored: Set<String> = []
    private var notesRead: Nanoseconds = .min
    private var lastCheck: Nanoseconds = .min
    private var nextCheck: Nanoseconds = .min

    /// The first reading is at most this much earlier than the timeout. A large trace takes long to read, but the
    /// program is silent.
    private static let firstLead: Nanoseconds = 30_000_000_000
    /// The second reading is at least this much earlier: a recorder needs up to a second to answer.
    private static let lastLead: Nanoseconds = 2_000_000_000
    /// How long a process must have hardly used the processor until its trace is read, so that it is not read while the
    /// program is busy.
    private static let rest: Nanoseconds = 400_000_000
    /// If nobody has checked for this long, the machine slept, or this command was stopped.
    private static let gap: Nanoseconds = 5_000_000_000

    /// - Parameters:
    ///   - program: the process of the run that all others come from.
    ///   - pattern: of the names of traces; see ``UnrecordedProcesses``.
    init(of program: pid_t, timeout: StallTimeout, notes: RecordNotes, pattern: String) {
      self.timeout = timeout
      self.notes = notes
      unrecorded = UnrecordedProcesses(of: program, timeout: timeout, pattern: pattern)
    }

    /// The process that has stalled; nil: none has. Call this every ``pause``.
    func stalled() -> StalledProcess? {
      let now = Self.now
      guard now >= nextCheck else { return nil }
      let table = ProcessTable()
      // On a machine with very many processes, reading their list takes long.
      let cost = Self.now - now
      nextCheck = now + min(1_000_000_000, cost * 50)
      defer { lastCheck = Self.now }
      let wasAway = lastCheck > .min && now - lastCheck > Self.gap
      follow(table, now)
      for process in watched.values {
        if wasAway { process.moved(at: now) }
        let tree = table.tree(of: process.number)
        process.note(ticks: table.ticks(of: tree), isStopped: table[process.number]?.isStopped == true, now: now)
        process.readNews(now: now, rest: min(Self.rest, timeout.nanoseconds / 2))
      }
      // A process that waits for a child that moves has not stalled, not even when the child has ended.
      for process in watched.values {
        let moves = table.tree(of: process.number).dropFirst().compactMap { watched[$0]?.lastMove }
        if let last = moves.max(), last > process.lastMove { process.moved(at: last) }
      }
      unrecorded.note(table, recorded: recorded, wasAway: wasAway, now: now)
      return unrecorded.stalled(table, now: now) ?? candidate(table)
    }

    // MARK: Which processes

    /// Adds processes that have noted a trace, and drops those that have ended.
    private func follow(_ table: ProcessTable, _ now: Nanoseconds) {
      watched = watched.filter { number, process in
        table[number].map { $0.began == process.began && !$0.isDead } ?? false
      }
      guard hasNews(now) else { return }
      // If a process became another program by `exec`, its last note counts.
      var paths: [pid_t: String] = [:]
      for case .trace(let number, let path) in notes.read() { paths[number] = path }
      recorded = Set(paths.keys)
      for (number, path) in paths where watched[number]?.path != path && !ignored.contains(path) {
        guard let entry = table[number], !entry.isDead else { continue }
        let ticks = table.ticks(of: table.tree(of: number))
        watched[number] = WatchedProcess(number, path: path, entry: entry, ticks: ticks, now: now)
        // A note may exist a moment before its file. What is no trace after a while never will be.
        if watched[number] == nil, Self.age(of: path) > Self.gap { ignored.insert(path) }
      }
      notesRead = now
    }

    /// Whether notes may have been added since they were read.
    private func hasNews(_ now: Nanoseconds) -> Bool {
      var status = stat()
      guard notesRead > .min, stat(notes.path, &status) == 0 else { return true }
      // The system's modification time may be some milliseconds old.
      return Self.age(status) < now - notesRead + 2_000_000_000
    }

    private static func age(of path: String) -> Nanoseconds {
      var status = stat()
      return stat(path.asPath, &status) == 0 ? age(status) : .max
    }

    private static func age(_ status: stat) -> Nanoseconds {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return nanoseconds(time) - nanoseconds(status.st_mtim)
    }

    // MARK: Which of them stalled

    /// The process to report. A process waits for its children, so it has not stalled before they have, and if they
    /// have, they are the reason.
    private func candidate(_ table: ProcessTable) -> StalledProcess? {
      let silent = watched.values.filter { process in
        process.isOpen && isSilent(process, but: Self.firstLead)
      }
      let numbers = Set(silent.map(\.number))
      let leaves = silent.filter { process in
        table.tree(of: process.number).dropFirst().allSatisfy { !numbers.contains($0) }
      }
      // Check tests before the programs that run them.
      for process in leaves.filter(\.isOfTests) + leaves.filter({ !$0.isOfTests }) {
        prepare(process)
        guard let answer = process.answer, isSilent(process, but: 0), answer.isThere else { continue }
        // It works only in the system; unless the threads that work there wait for an initialiser.
        if process.isInSystem && answer.report.verdict != .deadlocked {
          process.moved(at: Self.now)
          continue
        }
        let number = process.number
        switch process.seenWork.ask(about: answer.computing, usedNow: { LiveProcess.used(by: $0, of: number) }) {
        case .none: return answer
        case .some: process.moved(at: Self.now)
        case .unknown: process.answer = nil
        }
      }
      return nil
    }

    /// Prepares the answer before it is needed, so that everything is read by then.
    private func prepare(_ process: WatchedProcess) {
      let source = TraceInput(path: process.path)
      if process.first == nil {
        let began = Self.now
        guard let reading = try? StallReading(at: source) else { return }
        process.first = (reading, Self.now - began)
      }
      guard process.answer == nil, let first = process.first,
        isSilent(process, but: Self.lastLead + 2 * first.cost),
        let last = try? StallReading(at: source, after: first.reading)
      else { return }
      let trace = last.input.trace
      if let sign = trace.lastMove, sign > first.reading.input.trace.lastMove ?? .min {
        return process.moved(at: WatchedProcess.time(sign, trace.header))
      }
      let end = process.lastMove + timeout.nanoseconds - WatchedProcess.time(0, trace.header)
      process.answer = StalledProcess(
        process.path, timeout: timeout, first: first.reading, last: last.at(max(end, last.now)))
    }

    /// Whether nothing has moved for the timeout less `lead`, which is at most half of it.
    private func isSilent(_ process: WatchedProcess, but lead: Nanoseconds) -> Bool {
      Self.now - process.lastMove >= timeout.nanoseconds - min(lead, timeout.nanoseconds / 2)
    }

    private static var now: Nanoseconds {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return nanoseconds(time)
    }

    private static func nanoseconds(_ time: timespec) -> Nanoseconds {
      Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }
  }
#endif
