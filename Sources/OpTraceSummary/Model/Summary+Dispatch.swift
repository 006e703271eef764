public import OpTraceKernel
public import OpTraceModel

extension Summary {
  /// What one dispatch queue did.
  public struct DispatchQueue: Sendable, Equatable {
    /// The queue's number in the trace.
    public var id: DispatchQueueID
    /// Its label; empty if it has none.
    public var label: String
    /// The displayed name: its label, else its number.
    public var title: String
    /// How many blocks it runs at once; nil: as many as the system allows, or not known.
    public var width: Int?
    /// Whether it is the main thread's queue.
    public var isMain: Bool
    /// Number of blocks submitted to it.
    public var blocks = 0
    /// Blocks that were unfinished when the trace ended.
    public var unfinished = 0
    /// The largest number of blocks that waited at one time.
    public var depth = 0
    /// The largest number of blocks that ran at one time.
    public var peak = 0
    /// From the submission until a block ran. Blocks with a deadline, and those that waited for a group, are left out.
    public var waiting = Distribution()
    /// How long blocks ran.
    public var running = Distribution()
  }

  /// O(blocks · log blocks).
  static func dispatchQueues(_ trace: Trace) -> [DispatchQueue] {
    struct Values {
      var blocks = 0
      var unfinished = 0
      var waits = Openings()
      var runs = Openings()
      var waiting: [Nanoseconds] = []
      var running: [Nanoseconds] = []
    }
    var values: [DispatchQueueID: Values] = [:]
    for block in trace.blocks {
      guard let queue = block.queue else { continue }
      let times = OperationTimes(of: block, traceEnd: trace.end)
      values[queue, default: Values()].blocks += 1
      if block.over == nil { values[queue]?.unfinished += 1 }
      if let runnable = block.runnable {
        values[queue]?.waits.add(runnable, block.began?.time ?? block.over ?? trace.end)
        values[queue]?.waiting.append(times.waitingForSlot)
      }
      if let began = block.began {
        values[queue]?.runs.add(began.time, began.time + times.running)
        values[queue]?.running.append(times.running)
      }
    }
    return trace.dispatchQueues.compactMap { queue in
      guard let of = values[queue.id] else { return nil }
      return DispatchQueue(
        id: queue.id, label: queue.label, title: queue.title, width: queue.width, isMain: queue.isMain,
        blocks: of.blocks,
        unfinished: of.unfinished, depth: of.waits.peak(), peak: of.runs.peak(), waiting: Distribution(of.waiting),
        running: Distribution(of.running))
    }
  }
}
