internal import COpTrace

/// For code that watches a recorder from inside of its process.
extension TraceRecorder {
  /// A number that changes with every record that is written or lost. Cheap to get, and free while nobody does. Nil
  /// once the recorder has stopped, and in a forked child.
  package var activity: UInt64? {
    var activity: UInt64 = 0
    return optrace_recorder_activity(core, &activity) ? activity : nil
  }

  /// A descriptor of the trace's file, which the caller closes; also if the file was removed or renamed. Nil if the
  /// recorder has stopped, or the program has closed the recorder's own.
  package func openFile() -> Int32? {
    let descriptor = optrace_recorder_open_file(core)
    return descriptor < 0 ? nil : descriptor
  }

  /// The monotonic clock that traces are mapped to, in nanoseconds.
  package static var monotonicNow: UInt64 { optrace_clock_monotonic() }

  /// The system's number of the calling thread.
  package static var threadID: UInt32 { optrace_thread_id() }
}
