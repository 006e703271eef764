import OpTraceModel

/// Numbers texts, threads, queues and functions in the report's data. The numbers are indexes in lists that only grow
/// during the life of a page, so that what the page has stays valid.
struct ReportNames {
  /// The texts by index, each of them once.
  private(set) var strings: [String] = []
  private var indexes: [String: Int] = [:]
  /// The threads that the trace describes, and those that it only mentions.
  private(set) var threads: [ThreadRecord] = []
  /// The rows of threads with small numbers, which nearly all have, by that number. -1: not met yet.
  private var rowsOfSmallThreads: [Int32] = []
  private var rowsOfOtherThreads: [ThreadID: Int] = [:]
  private static let mostSmallThreads: UInt32 = 1 << 16
  private(set) var queueRows: [SchedulerID: Int] = [:]
  /// The rows of functions. A stack is identified by the row of its innermost function.
  var frameRows: [FrameID: Int] = [:]
  /// The rows of the functions and calls that samples were taken in.
  var sampled = SampledRows()

  /// Adds what the trace describes. Of those added together, operation queues come before dispatch queues.
  mutating func meet(_ trace: Trace) {
    for thread in trace.threads { threads[row(of: thread.id)] = thread }
    for queue in trace.queues { meet(.queue(queue.id)) }
    for queue in trace.usedDispatchQueues { meet(.dispatchQueue(queue.id)) }
  }

  private mutating func meet(_ queue: SchedulerID) {
    if queueRows[queue] == nil { queueRows[queue] = queueRows.count }
  }

  mutating func index(of text: String) -> Int {
    if let known = indexes[text] { return known }
    indexes[text] = strings.count
    strings.append(text)
    return strings.count - 1
  }

  mutating func row(of thread: ThreadID) -> Int {
    let number = Int(thread.rawValue)
    if number < rowsOfSmallThreads.count, rowsOfSmallThreads[number] >= 0 { return Int(rowsOfSmallThreads[number]) }
    if let known = rowsOfOtherThreads[thread] { return known }
    if thread.rawValue < Self.mostSmallThreads {
      let missing = max(0, number + 1 - rowsOfSmallThreads.count)
      rowsOfSmallThreads.append(contentsOf: repeatElement(-1, count: missing))
      rowsOfSmallThreads[number] = Int32(threads.count)
    } else {
      rowsOfOtherThreads[thread] = threads.count
    }
    threads.append(ThreadRecord(id: thread, systemID: 0, name: "", isMain: false))
    return threads.count - 1
  }

  /// Takes over the threads of `other`, which started from the same ones and has met more.
  mutating func takeThreads(of other: ReportNames) {
    threads = other.threads
    rowsOfSmallThreads = other.rowsOfSmallThreads
    rowsOfOtherThreads = other.rowsOfOtherThreads
  }
}
