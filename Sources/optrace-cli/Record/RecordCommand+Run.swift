#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import OpTraceProcesses

  /// How one run of a program differs from what `optrace record` would do.
  struct RunChanges {
    /// More variables of its environment.
    var variables: [String: String] = [:]
    /// Its arguments; nil: as they were given.
    var words: [RawText]?
  }

  /// A run that is over: what its processes noted, and how it ended.
  struct FinishedRun {
    var notes: [RecordNotes.Note]
    var process: pid_t
    var end: ProgramEnding
    /// What hung, if the run was ended for that.
    var stalled: StalledProcess?
    var isAskedToStop: Bool
    /// What was kept of flight recorders, for standard error.
    var kept: String
    var left: [LeftProcess]

    /// The paths of its traces.
    var traces: [String] {
      notes.compactMap { if case .trace(_, let path) = $0 { path } else { nil } }
    }

    func report(program: String, folder: String, debugFile: String?) -> RecordReport {
      RecordReport(
        notes, program: program, folder: folder, process: process, end: end, left: left, stalled: stalled?.path,
        debugFile: debugFile)
    }
  }

  /// Runs of the program.
  extension RecordCommand {
    /// Runs the program once, to its end.
    func runOnce(
      _ program: ProgramFile, object: String, to target: String, in folder: String, push settings: PushSettings? = nil,
      changes: RunChanges = RunChanges()
    ) throws -> FinishedRun {
      let words = changes.words ?? RawText.arguments(last: line.count)
      let notes = try RecordNotes(for: [RawText(folder), RawText(target)] + words)
      defer { notes.remove() }
      let remains = TraceRemains(expectedAt: target)
      let environment = environment(object: object, target: target, notes: notes, more: changes.variables)
      let run = try RecordedRun(program, words: words, environment: environment)
      // From now on, a file that may not grow (`ulimit -f`) makes a write fail, instead of raising a signal.
      signal(SIGXFSZ, SIG_IGN)
      let watch =
        keep.keepWhen.isEmpty ? nil : KeepWatch(keep, notes: notes, folder: folder, debugFile: debugFile)
      watch?.start()
      let push = settings.map { RecordPush($0, notes: notes) }
      let (end, stalled, isAskedToStop) = wait(for: run, notes, to: target)
      let kept = watch?.stop() ?? ""
      push?.finish()
      var written = notes.read()
      let file = target.replacingOccurrences(of: "%p", with: "\(run.process)")
      if remains.remove(at: file) {
        written.removeAll { $0 == .trace(processID: run.process, path: file) }
        written.append(.failure(processID: run.process, reason: "it was killed before it recorded anything"))
      }
      if let note = stalled?.note { written.append(note) }
      let left = LeftProcess.find(withNotesIn: notes.path)
      return FinishedRun(
        notes: written, process: run.process, end: end, stalled: stalled, isAskedToStop: isAskedToStop, kept: kept,
        left: left)
    }

    /// Waits until the program has ended, by itself or, with `--stall-timeout`, because it stalled.
    private func wait(
      for run: RecordedRun, _ notes: RecordNotes, to target: String
    ) -> (end: ProgramEnding, stalled: StalledProcess?, isAskedToStop: Bool) {
      guard let timeout = stallTimeout.flatMap({ StallTimeout(seconds: $0) }) else {
        let (end, isAskedToStop) = run.wait()
        return (end, nil, isAskedToStop)
      }
      let watch = StallWatch(of: run.process, timeout: timeout, notes: notes, pattern: target)
      var stalled: StalledProcess?
      var ending: StallEnding?
      let (end, isAskedToStop) = run.wait(
        meanwhile: (
          StallWatch.pause,
          {
            if let ending { return ending.check() }
            stalled = watch.stalled()
            guard let stalled else { return }
            stalled.mark()
            Console.error(stalled.text)
            ending = StallEnding(of: run.process, notesIn: notes.path)
          }
        ))
      ending?.finish()
      return (end, stalled, isAskedToStop)
    }

    /// The absolute pattern of the files' names for each run, because the program may change its folder.
    func targets(in folder: String) throws -> [String] {
      let name = printable((line[0] as NSString).lastPathComponent)
      let path = output ?? "\(name).%p.optrace"
      guard let runs else { return [try target(path, in: folder)] }
      return try RunNames.all(runs, of: path).map { try target($0, in: folder) }
    }

    func target(_ path: String, in folder: String) throws -> String {
      let absolute = path.hasPrefix("/") ? path : "\(folder)/\(path)"
      // Report now what the program would otherwise find out only when it runs.
      func refuse(_ why: String) -> Failure {
        Failure(message: "cannot write '\(printable(path))': \(why)", status: .cannotRecord)
      }
      let folder = (absolute as NSString).deletingLastPathComponent
      guard access(folder.asPath, F_OK) == 0 else { throw refuse("there is no folder '\(printable(folder))'") }
      guard access(folder.asPath, W_OK | X_OK) == 0 else {
        throw refuse("\(reason(errno)); choose another folder with -o")
      }
      var status = stat()
      guard lstat(absolute.asPath, &status) == 0 else { return absolute }
      if status.st_mode & S_IFMT == S_IFDIR { throw refuse(reason(EISDIR)) }
      if TraceRemains.isOne(absolute) { return absolute }
      guard status.st_mode & S_IFMT == S_IFREG, isTraceFile(absolute) else {
        throw refuse("it exists and is not a trace: choose another name or remove it")
      }
      return absolute
    }

    private func environment(
      object: String, target: String, notes: RecordNotes, more: [String: String]
    ) -> [RawText] {
      var ours = ["OPTRACE_RECORD": notes.path, "OPTRACE_OUTPUT": target]
      if let flightRecorder { ours["OPTRACE_FLIGHT_RECORDER"] = flightRecorder }
      if let stacks { ours["OPTRACE_STACKS"] = stacks.rawValue }
      ours.merge(parts.variables) { $1 }
      if pushing.push != nil { ours["OPTRACE_PROFILE"] = "1" }
      // An absolute path, because the program may change its folder before it starts another one.
      if let debugFile {
        ours["OPTRACE_DEBUG_FILE"] = debugFile.hasPrefix("/") ? debugFile : "\(RawPath.currentFolder)/\(debugFile)"
      }
      ours.merge(more) { $1 }
      // Objects that are preloaded already stay first, because they may have to be.
      let others = ProcessInfo.processInfo.environment["LD_PRELOAD"]?.split { $0 == ":" || $0 == " " } ?? []
      ours["LD_PRELOAD"] = (others.map(String.init).filter { $0 != object } + [object]).joined(separator: ":")
      return RawText.environment.filter { variable in !ours.keys.contains(where: variable.isVariable) }
        + ours.sorted { $0.key < $1.key }.map { RawText("\($0.key)=\($0.value)") }
    }
  }
#endif
