internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// The entry for the object that `optrace record` preloads, on the main thread, right before `main`. `alone`: not 0 if
/// this copy of OpTrace was loaded for that, 0 if the program is linked with it.
@_cdecl("optrace_record_begin")
func beginRecording(alone: Int32) {
  #if !canImport(Darwin)
    // First of all: the code below uses Foundation with the layout that this copy's compiler saw.
    if alone != 0, let why = optrace_hooks_misfit() {
      return TraceRecorder.complain(
        "the recorder does not fit the Foundation of this program (\(String(cString: why))): build optrace with the "
          + "program's Swift, or link OpTrace")
    }
  #endif
  // Without a default recorder the reason has been printed.
  guard let recorder = TraceRecorder.default else { return }
  do {
    try ProcessHooks.watchEverything(for: recorder, fromOutside: true)
    optrace_record_tests(recorder.core)
  } catch {
    let why = detail(of: error)
    guard alone != 0 else {
      return TraceRecorder.complain(
        "only OpTrace's own operation classes can be recorded in this program (\(why))",
        result: "these are recorded")
    }
    // The trace would stay empty.
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
