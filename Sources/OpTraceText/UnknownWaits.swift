import OpTraceAnalysis
import OpTraceModel

extension Trace {
  /// That it is not told what tasks waited for; nil: it is. O(tasks) where it is told.
  package var unknownWaitsSentence: String? {
    // One that does not fit is the last that is read: those behind it are all unknown.
    let unknown = tasks.count { $0.suspensions.contains { $0.reason == .unknown } }
    guard unknown > 0 else { return nil }
    let part = unknown == tasks.count ? "" : "\(grouped(unknown)) of "
    return "What \(part)the \(counted(tasks.count, "task")) waited for, and where, is not known: the program's Swift "
      + "runtime keeps it in places that this version of OpTrace does not know."
  }
}
