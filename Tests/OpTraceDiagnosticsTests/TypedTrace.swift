import OpTraceModel

/// A trace from the text form without its boring parts: a line is `MILLISECONDS tTHREAD EVENT …`; thread 1 is the main
/// one, thread N has the system's number 100 + N.
func typedTrace(_ lines: String) throws -> Trace {
  var text = """
    optrace text 1
    process 101 "server"
    writer "1.0.0"
    mode streaming
    wall 1700000000000000000
    monotonic 5000000
    state open
    heartbeat 1000000000

    0 t1 thread t1 tid=101 "server"

    """
  for thread in 2...6 { text += "0 t\(thread) thread t\(thread) tid=\(100 + thread) \"worker\"\n" }
  for line in lines.split(separator: "\n") {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let time = Int(words[0]) else { continue }
    text += "\(time * 1_000_000) \(words[1])\n"
  }
  return try TraceReader.read(bytes: Array(text.utf8))
}

/// Made and given to a queue on a thread.
func enqueued(_ id: Int, _ queue: Int, at time: Int, on thread: Int) -> String {
  """
  \(time) t\(thread) created #\(id) class="Work"
  \(time) t\(thread) enqueued #\(id) queue=q\(queue) priority=0

  """
}
