import OpTraceKernel
import OpTraceModel

/// Why the system did not allow sampling, and what helps.
struct ProfileRefusal {
  /// One sentence without a full stop, and where there is one, the remedy.
  let text: String

  /// - Parameters:
  ///   - number: Linux's error number, whatever system reads the trace.
  ///   - way: what should have taken the samples.
  init(_ number: Int32, _ way: ProfileRecord.Way) {
    let reason =
      switch number {
      case 13:
        "this system lets only root sample: allow it with 'sysctl kernel.perf_event_paranoid=2', or give the program CAP_PERFMON"
      case 1:
        "a container's seccomp profile refuses it, or the limit of locked memory: run the container with '--cap-add PERFMON', "
          + "raise 'ulimit -l'"
      case 38, 2, 95: "this kernel has no perf events"
      case 24, 23: "there were too many open files: raise 'ulimit -n'"
      case 16: "the program has a handler for SIGPROF, or another recorder samples"
      case 12: "there was no memory"
      default: "the system's error number is \(number)"
      }
    // A timer needs no rights. Where it was refused, the events may not be.
    switch way {
    case .events: text = reason + "; 'optrace record --profile-by timer' does without"
    case .timer: text = reason + "; 'optrace record --profile-by events' may do"
    }
  }
}
