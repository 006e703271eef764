internal import COpTrace
internal import Foundation

/// The entry for the object that `optrace record` preloads into a program that is linked with OpTrace: on the main thread,
/// right before `main`.
@_cdecl("optrace_record_begin")
func beginRecording() {
  // Without a default recorder the reason has been printed.
  guard let recorder = TraceRecorder.default else { return }
  do {
    try HookUse.watchEverything(for: recorder, fromOutside: true)
    optrace_record_tests(recorder.core)
  } catch {
    TraceRecorder.complain(
      "only OpTrace's own operation classes can be recorded in this program (\(detail(of: error)))",
      result: "these are recorded")
  }
}

private func detail(of error: TraceRecorderError) -> String {
  optrace_is_wanted("OPTRACE_VERBOSE") ? error.detail ?? "\(error)" : "OPTRACE_VERBOSE=1 says why"
}
