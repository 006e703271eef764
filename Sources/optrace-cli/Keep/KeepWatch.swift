#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceKeeping
  import OpTraceModel
  import OpTraceText

  /// Watches all recorded processes of a run for `--keep-when`, on a thread of its own with a low priority.
  ///
  /// Sendable: the lock guards whether it is over; everything else belongs to the thread from ``start()`` to the return
  /// of ``stop()``, which waits for it.
  final class KeepWatch: @unchecked Sendable {
    /// What is kept, and at which cost: for one process after the other.
    final class Keeping {
      var budget = LookBudget()
      fileprivate(set) var kept: [(file: KeptFiles.File, reason: String)] = []
      fileprivate var files: KeptFiles
      private var hasFailed = false
      private let folder: String
      private let pause: (_ seconds: Double) -> Bool

      fileprivate init(_ files: KeptFiles, folder: String, pause: @escaping (_ seconds: Double) -> Bool) {
        (self.files, self.folder, self.pause) = (files, folder, pause)
      }

      /// False: the program has ended meanwhile.
      func wait(seconds: Double) -> Bool { pause(seconds) }

      /// Keeps a ring, and removes older files. Says so on standard error; that it was not possible, only once.
      /// - Returns: whether there is a new file.
      func keep(
        _ trace: String, _ condition: KeepCondition, reason: String, names: KeptNames,
        examine: ((String) throws -> Keeper.Verdict)?
      ) -> Bool {
        let path = Keeper.freePath(of: trace, word: condition.word)
        do {
          guard let made = try Keeper.keep(trace, as: path, reason: reason, names: names, examine: examine) else {
            return false
          }
          let file = KeptFiles.File(path: path, word: condition.word, bytes: made.bytes)
          for old in files.add(file) {
            unlink(old.path.asPath)
            kept.removeAll { $0.file == old }
          }
          kept.append((file, made.reason))
          Console.error("optrace: kept \(shown(path)): \(printable(made.reason))\n")
          return true
        } catch {
          if !hasFailed {
            let why = (error as? Failure)?.message ?? printable("\(error)")
            Console.error("optrace: nothing was kept of '\(printable(condition.text))': \(why) (this is said once)\n")
          }
          hasFailed = true
          return false
        }
      }

      /// A path as it is displayed, relative to the folder in which the command was called.
      func shown(_ path: String) -> String {
        "'\(printable(path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path))'"
      }
    }

    private let conditions: [KeepCondition]
    private let notes: RecordNotes
    private let debugFile: String?
    private let files: KeptFiles
    private let folder: String
    private let lock = NSCondition()
    private var isOver = false
    private var isDone = false

    private var processes: [pid_t: KeptProcess] = [:]
    private var ended: [KeptProcess] = []
    private var ignored: Set<String> = []
    private var notesRead: Nanoseconds = .min
    private var result: String = ""

    /// Seconds between two looks; fewer while a ring is overwritten quickly.
    private static let pause = 1.0
    private static let shortestPause = 0.1

    init(_ options: KeepOptions, notes: RecordNotes, folder: String, debugFile: String?) {
      conditions = options.conditions
      files = options.files
      (self.notes, self.folder, self.debugFile) = (notes, folder, debugFile)
    }

    func start() {
      let thread = Thread { [self] in
        // Of this thread alone.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        SideBySide.$processors.withValue(1) { watch() }
        lock.withLock { isDone = true }
        lock.broadcast()
      }
      // Analyses need more than a thread's usual half megabyte.
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// Ends it, and waits until a file that is being kept is written.
    /// - Returns: what was kept, for standard error.
    func stop() -> String {
      lock.withLock { isOver = true }
      lock.broadcast()
      lock.lock()
      while !isDone { lock.wait() }
      lock.unlock()
      return result
    }

    /// Waits. False: it is over.
    private func wait(_ seconds: Double) -> Bool {
      let end = Date(timeIntervalSinceNow: seconds)
      lock.lock()
      defer { lock.unlock() }
      while !isOver, lock.wait(until: end) {}
      return !isOver
    }

    private func watch() {
      let keeping = Keeping(files, folder: folder) { [unowned self] in wait($0) }
      var pause = min(Self.pause, shortestTime / 4)
      while wait(max(Self.shortestPause, pause)) {
        follow()
        var bytes = 0
        for process in processes.values { bytes = max(bytes, process.look(keeping)) }
        for (number, process) in processes where process.isOver {
          ended.append(process)
          processes[number] = nil
        }
        // A quarter of the ring may be new at each look.
        let most = ringSize / 4
        pause = bytes > most ? pause / 2 : min(Self.pause, pause * 2, shortestTime / 4)
      }
      result = told(keeping)
    }

    private var ringSize = Int.max
    /// The shortest time that a condition of silence asks for, in seconds.
    private var shortestTime: Double {
      conditions.reduce(.infinity) { shortest, condition in
        guard case .stall(let time) = condition.rule else { return shortest }
        return min(shortest, Double(time) / 1e9)
      }
    }

    /// Adds processes that have noted a trace.
    private func follow() {
      let now = KeptProcess.now
      var status = stat()
      // The system's modification time may be some milliseconds old.
      if notesRead > .min, stat(notes.path, &status) == 0 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let age = Nanoseconds(time.tv_sec - status.st_mtim.tv_sec) * 1_000_000_000
        guard age < now - notesRead + 3_000_000_000 else { return }
      }
      notesRead = now
      var paths: [pid_t: String] = [:]
      for case .trace(let number, let path) in notes.read() { paths[number] = path }
      for (number, path) in paths where processes[number]?.path != path && !ignored.contains(path) {
        if let process = KeptProcess(number, path: path, conditions: conditions, debugFile: debugFile) {
          if let old = processes.updateValue(process, forKey: number) { ended.append(old) }
          ringSize = min(ringSize, process.ringSize)
        } else if kill(number, 0) != 0 {
          ignored.insert(path)
        }
      }
    }

    private func told(_ keeping: Keeping) -> String {
      var text = ""
      if !keeping.kept.isEmpty {
        text += "optrace: \(counted(keeping.kept.count, "kept file")):\n"
        for (file, reason) in keeping.kept { text += "  \(keeping.shown(file.path)): \(printable(reason))\n" }
      }
      var unkept: [String: Int] = [:]
      for process in ended + processes.values {
        for (condition, count) in process.unkept { unkept[condition.text, default: 0] += count }
      }
      for (condition, count) in unkept.sorted(by: { $0.key < $1.key }) {
        text +=
          "optrace: '\(printable(condition))' was met \(counted(count, "more time")) "
          + "within a minute of a kept file, or at the end\n"
      }
      return text
    }

    /// The processor time of this thread, in nanoseconds.
    static var processorTime: Nanoseconds {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }
  }
#endif
