import OpTraceFormat
import OpTraceModel

/// Waits of operations that end only when other work has had a thread of a pool: a block that signals a semaphore, the blocks of a
/// group. Where the operations' own waits take all threads of the pool, such work finds none, and more operations at once are slower.
///
/// Blocks that the trace has are taken as they ran. Where it has none, who ends a wait is often not known: then a thread is assumed to
/// be needed for as long as the shortest such waits took, since a prediction must not promise threads that are not there.
struct PoolEndings {
  /// Work that has to run before a wait is over.
  struct Helper: Equatable {
    /// From the wait's beginning until it could run.
    var after: Nanoseconds
    /// How long it holds its thread until the wait may end.
    var busy: Nanoseconds
    /// Whose thread it needs.
    var executor = Workload.Strand.Executor.pooled(.quality(0))
  }

  /// By the indexes of the waits.
  private(set) var helpers: [Int: [Helper]] = [:]
  /// Whether some are assumed, and not recorded.
  private(set) var hasGuesses = false

  private let trace: Trace
  private var blocks: [WorkID: [Int]] = [:]
  /// The dispatch queues that run one block at a time, by number, and so many pools of one thread each.
  let serialQueues: [DispatchQueueID: UInt8]
  private let poolThreads: Set<ThreadID>
  /// Of serial queues and of the system: there is always one.
  private let freeThreads: Set<ThreadID>
  /// By the code of blocks that wait for a time: the shortest from submission to run. Others also waited for a thread.
  private var delays: [FrameID?: Nanoseconds] = [:]

  /// O(n log n) for n waits and blocks.
  init(_ trace: Trace, _ waits: [WaitRecord]) {
    self.trace = trace
    let workers = trace.threads.filter { $0.name.contains("-qos") && !$0.isMain }
    poolThreads = Set(workers.filter { !Self.isFree($0.name) }.map(\.id))
    freeThreads = Set(workers.filter { Self.isFree($0.name) }.map(\.id))
    let serial = trace.dispatchQueues.filter { $0.width == 1 && !$0.isMain }.prefix(Workload.Pool.mostSerial)
    serialQueues = Dictionary(
      serial.enumerated().map { ($1.id, UInt8(clamping: $0)) }, uniquingKeysWith: { first, _ in first })
    for (row, block) in trace.blocks.enumerated() {
      guard block.way != .sync, block.began != nil, let origin = Self.origin(of: block, in: trace) else { continue }
      blocks[origin, default: []].append(row)
      if block.runnable == nil, let submitted = block.submitted, let began = block.began {
        delays[block.code] = min(delays[block.code] ?? .max, span(submitted.time, began.time))
      }
    }
    let shortest = Self.shortestWaits(trace, waits)
    for (index, wait) in waits.enumerated() {
      guard let inside = wait.inside, let ended = wait.ended, case .object(let id) = wait.target,
        let kind = trace.object(id)?.kind, kind == .semaphore || kind == .group || kind == .condition
      else { continue }
      if let known = recorded(wait, inside, ended) {
        helpers[index] = known
      } else if needsPool(wait), let row = trace.index(of: inside) {
        let time = min(span(wait.began, ended), shortest[trace.operations[row].kind] ?? .max)
        helpers[index] = [Helper(after: 0, busy: time)]
        hasGuesses = true
      } else if let thread = wait.endSignal?.thread, freeThreads.contains(thread), isOutside(wait) {
        helpers[index] = [Helper(after: span(wait.began, ended), busy: 0, executor: .anywhere)]
      }
    }
  }

  /// Blocks that blocks submit in a row, at most: hostile traces may have a cycle.
  private static let deepest = 64

  /// The operation whose code submitted a block, or the block that submitted it, and so on.
  private static func origin(of block: BlockRecord, in trace: Trace) -> OperationID? {
    var submitter = block.submitter
    for _ in 0..<deepest {
      guard let id = submitter, let outer = trace.block(id) else { return submitter }
      submitter = outer.submitter
    }
    return nil
  }

  /// libdispatch names all its threads alike. Those with "overcommit" are made for each serial queue, and are never short.
  private static func isFree(_ name: String) -> Bool { name.contains("overcommit") }

  /// The blocks that the operation submitted and that ran until the wait was over; nil: the trace has none.
  private func recorded(_ wait: WaitRecord, _ inside: OperationID, _ ended: Nanoseconds) -> [Helper]? {
    let rows = (blocks[inside] ?? []).filter { row in
      let block = trace.blocks[row]
      guard let began = block.began, isWorker(began.thread), began.time <= ended else { return false }
      // A block that signals goes on for a moment.
      return (block.over ?? .max) > wait.began
    }
    guard !rows.isEmpty else { return nil }
    return rows.map { row in
      let block = trace.blocks[row]
      let began = max(block.began?.time ?? wait.began, wait.began)
      let end = min(block.over ?? ended, ended)
      var helper = Helper(after: span(wait.began, due(block)), busy: span(began, end))
      if let serial = block.queue.flatMap({ serialQueues[$0] }) {
        helper.executor = .pooled(.serial(serial))
      } else if let thread = block.began?.thread, freeThreads.contains(thread) {
        helper.executor = .anywhere
      }
      return helper
    }
  }

  private func isWorker(_ thread: ThreadID) -> Bool { poolThreads.contains(thread) || freeThreads.contains(thread) }

  /// When it could have run, had there been a thread.
  private func due(_ block: BlockRecord) -> Nanoseconds {
    guard let submitted = block.submitted?.time, block.runnable == nil else { return .min }
    let (sum, overflow) = submitted.addingReportingOverflow(delays[block.code] ?? 0)
    return overflow ? .max : sum
  }

  /// Whether nothing shows that it ended without a thread of the pool.
  private func needsPool(_ wait: WaitRecord) -> Bool {
    guard let thread = wait.endSignal?.thread else { return trace.blocks.isEmpty }
    return poolThreads.contains(thread) && isOutside(wait)
  }

  /// Whether no operation ended it: signals of operations are followed where they run.
  private func isOutside(_ wait: WaitRecord) -> Bool {
    wait.endSignal?.operation.flatMap { trace.index(of: $0) } == nil
  }

  /// Of each kind of operation, the length that a quarter of its waits for objects does not reach: in the others its work may have
  /// waited for a thread.
  private static func shortestWaits(_ trace: Trace, _ waits: [WaitRecord]) -> [String: Nanoseconds] {
    var lengths: [String: [Nanoseconds]] = [:]
    for wait in waits {
      guard let ended = wait.ended, case .object = wait.target, !trace.endsByItself(wait),
        let row = wait.inside.flatMap({ trace.index(of: $0) })
      else { continue }
      lengths[trace.operations[row].kind, default: []].append(span(wait.began, ended))
    }
    return lengths.mapValues { $0.sorted()[$0.count / 4] }
  }
}
