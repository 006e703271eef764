import OpTraceRunning
import OpTraceModel

extension TraceInput {
  /// Reads the trace. If its process is alive, first asks the recorder for a new snapshot, else takes one from outside.
  /// If neither is possible, says why and returns the trace as it was.
  func readWithFreshSnapshot() throws -> InputTrace {
    let first = try read()
    guard LiveProcess.writes(first.trace), canBeReadAgain else { return first.withLiveNames() }
    return try readAfterSnapshot(first.trace)
  }

  /// Reads the trace of a living process once more, with a new snapshot.
  /// - Parameters:
  ///   - first: the trace as it was read before.
  ///   - warns: false: no message if the recorder does not answer.
  func readAfterSnapshot(_ first: Trace, warns: Bool = true) throws -> InputTrace {
    // Resolve the path now, because a process id leads to no file once the process has ended.
    let file = TraceInput(path: try location(), limit: limit)
    let why = try file.askForSnapshot(first)
    var again = try file.read(warns: false)
    if let why { snapshotFromOutside(at: &again.trace, because: why, warns: warns) }
    return again.withLiveNames()
  }

  /// Nil: there is a new snapshot in the file; else the reason why not.
  private func askForSnapshot(_ trace: Trace) throws -> String? {
    let location = try location()
    // A packed trace or a text is a copy, so no recorder sees a request there.
    guard FreshSnapshot.isRecording(location) else { return nil }
    let answer = withProgress("asking process \(trace.header.processID) what its threads do") {
      FreshSnapshot.ask(path: location)
    }
    guard case .none(let why) = answer else { return nil }
    return why
  }

  /// Takes a snapshot from this process and puts it into the trace, and says so; or says what prevents that.
  private func snapshotFromOutside(at trace: inout Trace, because why: String, warns: Bool) {
    let process = trace.header.processID
    let nothingNew = "process \(process) gave no new snapshot of its threads: \(why)"
    guard LiveProcess.writes(trace), let snapshot = OutsideSnapshot.taken(of: process), LiveProcess.writes(trace) else {
      if warns { Console.warning(nothingNew) }
      return
    }
    let isRefused = snapshot.refused == snapshot.threads.count
    // The recorder's snapshot shows locks and stacks, so do not replace it by states alone.
    if !isRefused || trace.snapshot == nil { trace.take(snapshot, at: LiveProcess.now(of: trace)) }
    guard warns else { return }
    if isRefused {
      let rights = LiveProcess.missingRights(for: process)
      Console.warning("\(nothingNew); optrace has no right to take one itself: \(rights)")
    } else {
      Console.note("process \(process) did not answer, so optrace took the snapshot itself: \(why)")
    }
  }
}
