import OpTraceAnalysis

/// Why the system did not allow sampling, and what helps.
struct ProfileRefusal {
  /// One sentence, and where there is one, the remedy.
  let text: String

  /// Linux's error numbers, whatever system reads the trace.
  init(_ number: Int32) {
    let timer = "'optrace record --profile-by timer' needs no such right"
    switch number {
    case 13:
      text =
        "this system lets only root sample: allow it with 'sysctl kernel.perf_event_paranoid=2', or give CAP_PERFMON; "
        + timer
    case 1:
      text = "the container's seccomp profile refuses it: run the container with '--cap-add PERFMON'; " + timer
    case 38, 2, 19, 95:
      text = "this kernel has no perf events; " + timer.replacing("needs no such right", with: "needs none")
    case 11, 12: text = "less than 64 KB may be locked: raise 'ulimit -l', or end what else is sampled; " + timer
    case 24, 23: text = "the process may open no more files: raise 'ulimit -n'; " + timer
    default: text = "the system's error number is \(number); " + timer
    }
  }
}
