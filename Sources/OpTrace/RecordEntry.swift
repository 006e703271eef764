internal import Foundation

/// Where the object that `optrace record` preloads comes in, on the main thread, right before `main`. `alone` is not 0
/// where this copy of OpTrace was loaded for that, 0 where the program is linked with it.
@_cdecl("optrace_record_begin")
func beginRecording(alone: Int32) {
  // Without a default recorder it has been said why.
  guard let recorder = TraceRecorder.default else { return }
  do {
    try recorder.instrumentProcess()
  } catch {
    let wish = ProcessInfo.processInfo.environment["OPTRACE_VERBOSE"] ?? ""
    let why = wish.isEmpty || wish == "0" ? "OPTRACE_VERBOSE=1 says why" : "\(error)"
    let problem = "the operations of this program cannot be followed from outside (\(why)); link OpTrace instead"
    guard alone != 0 else {
      return TraceRecorder.complain(problem, result: "only its traced types are recorded")
    }
    // Nothing would ever stand in the trace.
    TraceRecorder.default = nil
    try? recorder.stop()
    unlink(recorder.url.path)
    TraceRecorder.complain(problem)
  }
}
