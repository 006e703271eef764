#if os(Linux)
  import Foundation

  /// Ends a program that stalled, with all processes that it started: asks them to end, and kills what is left after
  /// five seconds. Processes with a group of their own, such as those that run tests, are found by their parent, or by
  /// the run's request in their environment.
  final class StallEnding {
    private let program: pid_t
    private let folder: String
    private let deadline = ContinuousClock.now + .seconds(5)
    /// The processes to end, and when each began, because ids are reused.
    private var targets: [pid_t: UInt64] = [:]
    private var isKilled = false

    /// The pause between two checks of what is left, in seconds.
    private static let pause = 0.05
    /// How long to wait for killed processes: one may be in a system call that nothing interrupts.
    private static let patience = Duration.seconds(5)

    /// Asks all to end.
    ///
    /// - Parameter folder: the folder of the run's notes.
    init(of program: pid_t, notesIn folder: String) {
      self.program = program
      self.folder = folder
      let table = gather()
      // Parents first, because one that runs tests would start the next one.
      for process in table.tree(of: program) { send(SIGTERM, to: process, table) }
      let others = Set(targets.keys).subtracting(table.tree(of: program))
      for process in others { send(SIGTERM, to: process, table) }
    }

    /// Kills what is left when the time is over; to be called repeatedly.
    func check() {
      guard !isKilled, ContinuousClock.now >= deadline else { return }
      kill()
    }

    /// Returns when all have ended.
    func finish() {
      while !isOver, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: Self.pause) }
      // Include processes that were started since.
      gather()
      guard !isOver else { return }
      kill()
      let end = ContinuousClock.now + Self.patience
      while !isOver, ContinuousClock.now < end { Thread.sleep(forTimeInterval: Self.pause) }
    }

    private var isOver: Bool {
      targets.allSatisfy { number, began in
        ProcessTable.entry(of: number).map { $0.began != began || $0.isDead } ?? true
      }
    }

    private func kill() {
      isKilled = true
      let table = gather()
      for process in targets.keys { send(SIGKILL, to: process, table) }
    }

    /// Adds processes that belong to the run by now.
    @discardableResult
    private func gather() -> ProcessTable {
      let table = ProcessTable()
      let marked = LeftProcess.find(withNotesIn: folder).map(\.number)
      for root in [program] + marked + Array(targets.keys) where isOurs(root, table) || targets[root] == nil {
        for process in table.tree(of: root) where process != getpid() {
          guard let entry = table[process], targets[process] == nil else { continue }
          targets[process] = entry.began
        }
      }
      return table
    }

    /// Whether the id still belongs to the same process.
    private func isOurs(_ process: pid_t, _ table: ProcessTable) -> Bool {
      targets[process] != nil && table[process]?.began == targets[process]
    }

    private func send(_ signal: Int32, to process: pid_t, _ table: ProcessTable) {
      guard isOurs(process, table), let entry = table[process], !entry.isDead else { return }
      _ = Glibc.kill(process, signal)
      if entry.isStopped { _ = Glibc.kill(process, SIGCONT) }
    }
  }
#endif
