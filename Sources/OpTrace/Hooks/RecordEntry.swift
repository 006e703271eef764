internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Where the object that `optrace record` preloads comes in, on the main thread, right before `main`. `alone` is not 0
/// where this copy of OpTrace was loaded for that, 0 where the program is linked with it.
@_cdecl("optrace_record_begin")
func beginRecording(alone: Int32) {
  #if !canImport(Darwin)
    // First of all: what comes below uses Foundation as this copy's compiler saw it.
    if alone != 0, let why = optrace_hooks_misfit() {
      return TraceRecorder.complain(
        "the recorder does not fit the Foundation of this program (\(String(cString: why))): build optrace with the "
          + "program's Swift, or link OpTrace")
    }
  #endif
  // Without a default recorder it has been said why.
  guard let recorder = TraceRecorder.default else { return }
  do {
    try ProcessHooks.watchEverything(for: recorder, fromOutside: true)
    optrace_record_tests(recorder.core)
  } catch {
    let why = detail(of: error)
    guard alone != 0 else {
      return TraceRecorder.complain(
        "operations of other classes than OpTrace's cannot be recorded in this program (\(why))",
        result: "its traced types are recorded")
    }
    // Nothing would ever stand in the trace.
    TraceRecorder.default = nil
    try? recorder.stop()
    unlink(recorder.path.asPath)
    TraceRecorder.complain(
      "the operations of this program cannot be recorded from outside (\(why)); link OpTrace instead")
  }
}

private func detail(of error: TraceRecorderError) -> String {
  let wish = ProcessInfo.processInfo.environment["OPTRACE_VERBOSE"] ?? ""
  if wish.isEmpty || wish == "0" { return "OPTRACE_VERBOSE=1 says why" }
  return error.detail ?? "\(error)"
}
