import OpTraceLive
import OpTraceModel

extension TraceInput {
  /// Reads the trace; where its process lives, after the recorder has taken a new snapshot, else with one that
  /// is taken from outside. Where neither can be, says why, and gives what was there.
  func readWithFreshSnapshot() throws -> InputTrace {
    let first = try read()
    guard LiveProcess.writes(first.trace), canBeReadAgain else { return first.withLiveNames() }
    return try readAfterSnapshot(first.trace)
  }

  /// Reads the trace of a living process once more, with a new snapshot.
  /// - Parameters:
  ///   - first: what was read of it before.
  ///   - warns: false: without a word where the recorder does not answer.
  func readAfterSnapshot(_ first: Trace, warns: Bool = true) throws -> InputTrace {
    // Its number leads to no file when it ends meanwhile.
    let file = TraceInput(path: try location(), limit: limit)
    let why = try file.askForSnapshot(first)
    var again = try file.read(warns: false)
    if let why { snapshotFromOutside(at: &again.trace, because: why, warns: warns) }
    return again.withLiveNames()
  }

  /// Nil: there is a new snapshot in the file; else why there is none.
  private func askForSnapshot(_ trace: Trace) throws -> String? {
    let location = try location()
    // A packed trace or a text is a copy: nobody sees what is asked there.
    guard FreshSnapshot.isRecording(location) else { return nil }
    let answer = withProgress("asking process \(trace.header.processID) what its threads do") {
      FreshSnapshot.ask(path: location)
    }
    guard case .none(let why) = answer else { return nil }
    return why
  }

  /// Gives the trace the threads as they are seen from here, and says so; or says what is missing for that.
  private func snapshotFromOutside(at trace: inout Trace, because why: String, warns: Bool) {
    let process = trace.header.processID
    let nothingNew = "process \(process) gave no new snapshot of its threads: \(why)"
    guard LiveProcess.writes(trace), let snapshot = OutsideSnapshot.taken(of: process), LiveProcess.writes(trace) else {
      if warns { Console.warning(nothingNew) }
      return
    }
    let isRefused = snapshot.refused == snapshot.threads.count
    // What the recorder saw tells of locks and stacks; states alone do not.
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
