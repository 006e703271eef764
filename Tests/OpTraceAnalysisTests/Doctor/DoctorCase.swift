import OpTraceAnalysis
import OpTraceModel

/// Traces for the doctor's tests, in the text form without its boring parts. A line is `MICROSECONDS tTHREAD EVENT …`;
/// thread 1 is the main one.
enum DoctorCase {
  /// - Parameters:
  ///   - end: the recorder's last sign of life, in microseconds.
  ///   - header: more lines, such as `lost no-space 3`.
  static func trace(
    _ lines: String, isClosed: Bool = false, end: Int = 1_000_000, header: String = ""
  ) throws -> Trace {
    var text = """
      optrace text 1
      process 100 "test"
      writer "1.0.0"
      mode streaming
      wall 1700000000000000000
      monotonic 5000000
      state \(isClosed ? "closed" : "open")
      heartbeat \(end * 1000)
      \(header)

      0 t1 thread t1 tid=100 "main"

      """
    for thread in 2...6 { text += "0 t\(thread) thread t\(thread) tid=\(100 + thread) \"worker\"\n" }
    for line in lines.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let time = Int(words[0]) else { continue }
      text += "\(time * 1000) \(words[1])\n"
    }
    return TraceBuilder.build(try TraceText.parse(text))
  }

  /// The lines of an operation: what happened to it in order, each with its time and thread.
  static func operation(_ id: Int, _ name: String, _ events: String...) -> String {
    "1 t1 created #\(id) class=\"Work\"\n1 t1 named #\(id) \"\(name)\"\n" + events.joined(separator: "\n") + "\n"
  }
}
