#if os(Linux)
  import Foundation
  import OpTraceDoctor
  import OpTraceModel
  import OpTraceSnapshot

  /// The processes of a run into which no recorder was loaded: an environment of their own, setuid, or no symbols. What they wait for is seen from
  /// outside, once they have not moved for the timeout. Only what is proven there ends a run: a server that nobody asks is silent, too.
  struct UnrecordedProcesses {
    private let program: pid_t
    private let timeout: StallTimeout
    /// The pattern of the names of traces.
    private let pattern: String
    private var watched: [pid_t: Watched] = [:]

    private struct Watched {
      let began: UInt64
      var use: ProcessorUse
      var lastMove: Nanoseconds
      /// It was looked at since it last moved.
      var isSeen = false
    }

    /// - Parameters:
    ///   - program: the process of the run that all others come from.
    ///   - pattern: an absolute path, in which `%p` stands for the process id.
    init(of program: pid_t, timeout: StallTimeout, pattern: String) {
      (self.program, self.timeout, self.pattern) = (program, timeout, pattern)
    }

    /// - Parameters:
    ///   - recorded: the processes with traces.
    ///   - wasAway: nobody has checked for some time.
    mutating func note(_ table: ProcessTable, recorded: Set<pid_t>, wasAway: Bool, now: Nanoseconds) {
      let processes = table.tree(of: program).filter { !recorded.contains($0) && table[$0]?.isDead == false }
      watched = watched.filter { processes.contains($0.key) && table[$0.key]?.began == $0.value.began }
      for process in processes {
        guard let entry = table[process] else { continue }
        let ticks = table.ticks(of: table.tree(of: process))
        var one = watched[process] ?? Watched(began: entry.began, use: ProcessorUse(ticks, at: now), lastMove: now)
        if one.use.moves(ticks, isStopped: entry.isStopped, now: now) || wasAway {
          (one.lastMove, one.isSeen) = (now, false)
        }
        watched[process] = one
      }
    }

    /// The process that hangs; nil: none is proven to. Those that a process has started come before it.
    mutating func stalled(_ table: ProcessTable, now: Nanoseconds) -> StalledProcess? {
      for process in table.tree(of: program).reversed() {
        guard let one = watched[process], !one.isSeen, now - one.lastMove >= timeout.nanoseconds else { continue }
        watched[process]?.isSeen = true
        if let found = look(at: process), ProcessTable.entry(of: process)?.began == one.began { return found }
      }
      return nil
    }

    /// Nil: it is no program of Swift's, it may not be read, or nothing is proven.
    private func look(at process: pid_t) -> StalledProcess? {
      // Looking at a shell would take as long.
      guard let memory = try? LiveMemory(UInt32(bitPattern: process)), let modules = try? Module.all(in: memory),
        modules.haveSwiftLibraries || modules.haveSwiftLinkedIn, let snapshot = try? Snapshot.taken(of: memory)
      else { return nil }
      let store = SnapshotStore()
      guard let made = try? store.path(for: "", { snapshot }), let trace = try? TraceReader.read(path: made) else {
        return nil
      }
      let found = StalledProcess(path(of: process), timeout: timeout, snapshot: trace)
      guard found.report.hasErrors, let bytes = FileManager.default.contents(atPath: made) else { return nil }
      // Without the file there is still the answer.
      var output = Output(path: found.path)
      output.isPrivate = true
      try? output.write(Array(bytes))
      return found
    }

    private func path(of process: pid_t) -> String {
      if pattern.contains("%p") { return pattern.replacingOccurrences(of: "%p", with: "\(process)") }
      let path = pattern as NSString
      guard !path.pathExtension.isEmpty else { return "\(pattern).\(process)" }
      return "\(path.deletingPathExtension).\(process).\(path.pathExtension)"
    }
  }
#endif
