import OpTraceAnalysis
import OpTraceModel
import TestSupport

/// Traces for the doctor's tests, in the text form without its boring parts. A line is `MICROSECONDS tTHREAD EVENT …`;
/// thread 1 is the main one.
enum DoctorCase {
  /// - Parameters:
  ///   - end: the recorder's last sign of life, in microseconds.
  ///   - header: more lines, such as `lost no-space 3`.
  static func trace(
    _ lines: String, isClosed: Bool = false, end: Int = 1_000_000, header: String = ""
  ) throws -> Trace {
    var typed = TypedTrace()
    typed.processID = 100
    typed.isClosed = isClosed
    typed.heartbeat = end * 1000
    typed.header = header
    return TraceBuilder.build(try TraceText.parse(typed.text(lines, in: .microseconds)))
  }

  /// The lines of an operation: what happened to it in order, each with its time and thread.
  static func operation(_ id: Int, _ name: String, _ events: String...) -> String {
    "1 t1 created #\(id) class=\"Work\"\n1 t1 named #\(id) \"\(name)\"\n" + events.joined(separator: "\n") + "\n"
  }
}
