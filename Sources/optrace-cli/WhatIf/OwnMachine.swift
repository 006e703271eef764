import COpTrace
import Foundation
import OpTraceModel

/// What this machine tells of a trace that was recorded on it.
enum OwnMachine {
  /// The number of processors: as the trace tells it, else of this machine where the trace is of this run of the system; nil: it
  /// may be from anywhere.
  static func processors(of header: TraceHeader) -> Int? {
    if let processors = header.processors { return processors }
    var boot = [UInt8](repeating: 0, count: 16)
    optrace_boot_id(&boot)
    guard boot.contains(where: { $0 != 0 }), header.bootID == boot else { return nil }
    return ProcessInfo.processInfo.activeProcessorCount
  }
}
