import OpTraceModel

/// The numbers of texts, threads, queues and functions in the report's data: their indexes in lists that only grow while a page
/// lives, so that what the page has stays true.
struct ReportNames {
  /// By index, every text once.
  private(set) var strings: [String] = []
  private var indexes: [String: Int] = [:]
  /// Those that the trace describes, and those that it only names.
  private(set) var threads: [ThreadRecord] = []
  /// Of threads with small numbers, which are nearly all, by number; -1: not met.
  private var rowsOfSmallThreads: [Int32] = []
  private var rowsOfOtherThreads: [ThreadID: Int] = [:]
  private static let mostSmallThreads: UInt32 = 1 << 16
  private(set) var queueRows: [SchedulerID: Int] = [:]
  /// The rows of functions; a stack is named by the row of its innermost one.
  var frameRows: [FrameID: Int] = [:]
  /// The rows of what samples were taken in.
  var sampled = SampledRows()

  /// Takes in what the trace describes. Queues of operations come first, then dispatch queues, as far as they are met together.
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

  /// The threads as `other` has met them, which went on from the same ones.
  mutating func takeThreads(of other: ReportNames) {
    threads = other.threads
    rowsOfSmallThreads = other.rowsOfSmallThreads
    rowsOfOtherThreads = other.rowsOfOtherThreads
  }
}
