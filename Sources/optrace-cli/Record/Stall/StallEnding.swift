#if os(Linux)
  import Foundation

  /// Ends a program that stalled, with all that it started: asks them, and kills what is left after five seconds. What has a process
  /// group of its own, as the programs that run tests, is found by its parent, or by the request of the run in its environment.
  final class StallEnding {
    private let program: pid_t
    private let folder: String
    private let deadline = ContinuousClock.now + .seconds(5)
    /// With the time when each began: numbers are used again.
    private var targets: [pid_t: UInt64] = [:]
    private var isKilled = false

    /// Between two checks of what is left, in seconds.
    private static let pause = 0.05
    /// How long to wait for those that were killed: one may be in a call of the system that nothing ends.
    private static let patience = Duration.seconds(5)

    /// Asks all to end.
    /// - Parameter folder: of the run's notes.
    init(of program: pid_t, notesIn folder: String) {
      self.program = program
      self.folder = folder
      let table = gather()
      // Who starts others goes first, or it would start the next test.
      for process in table.tree(of: program) { send(SIGTERM, to: process, table) }
      let others = Set(targets.keys).subtracting(table.tree(of: program))
      for process in others { send(SIGTERM, to: process, table) }
    }

    /// Kills what is left when the time is over; call it again and again.
    func check() {
      guard !isKilled, ContinuousClock.now >= deadline else { return }
      kill()
    }

    /// Returns when all are gone.
    func finish() {
      while !isOver, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: Self.pause) }
      // Also what was started since.
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

    /// Adds what belongs to the run by now.
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

    /// Whether the number is still that of the process that it was.
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
