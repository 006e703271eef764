import COpTrace
import Foundation
import OpTraceModel

/// What this machine can tell about a trace that was recorded on it.
enum OwnMachine {
  /// The number of processors: from the trace, else from this machine if the trace is from this boot of the system;
  /// nil: it may be from any machine.
  static func processors(of header: TraceHeader) -> Int? {
    if let processors = header.processors { return processors }
    var boot = [UInt8](repeating: 0, count: 16)
    optrace_boot_id(&boot)
    guard boot.contains(where: { $0 != 0 }), header.bootID == boot else { return nil }
    return ProcessInfo.processInfo.activeProcessorCount
  }
}
