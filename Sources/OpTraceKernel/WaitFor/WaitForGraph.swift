public import OpTraceModel

/// Who waits for whom at the end of a trace: unfinished operations, blocks and tasks, and everything between them.
///
/// A node is satisfied when *everything* it waits for is. A queue's slots and the submissions of a piece of work are
/// exceptions: they are alternatives, and *one* holder that finishes is enough (more if the limit was lowered
/// meanwhile). Operations whose end the trace does not show are not in the graph, so work that waits only for them may
/// continue.
public struct WaitForGraph: Sendable {
  /// Numbers are indexes in the trace's lists.
  public enum Node: Hashable, Sendable {
    /// An unfinished operation: its index in `trace.operations`.
    case operation(Int)
    /// Any slot of a queue: waits for one of the holders.
    case slots(queue: Int)
    /// The emptiness of a queue: waits for everything in the queue.
    case emptiness(queue: Int)
    /// Everything enqueued before a barrier; the chain of these goes back one operation at a time.
    case earlier(Int)
    /// A thread outside operations that waits or holds a lock; the main thread also because it runs the main queue.
    case thread(ThreadID)
    /// A suspended queue: nothing visible resumes it.
    case suspension(queue: Int)
    /// A queue that may run no operation at all: its limit is 0.
    case noSlots(queue: Int)
    /// An operation that was never added to a queue and never started.
    case neverEnqueued(Int)
    /// A lock, by its address: waits for the thread that holds it.
    case lock(UInt64)
    /// A lock whose holder has ended without unlocking it.
    case abandonedLock(UInt64)
    /// A block of a dispatch queue that is not over: its index in `trace.blocks`.
    case block(Int)
    /// A task that is not over: its index in `trace.tasks`.
    case task(Int)
    /// The turn of a serial dispatch queue: its index in `trace.dispatchQueues`.
    case turn(Int)
    /// The unfinished submissions of this work, any of which may resume it: the work's node.
    case submissions(Int)
    /// All that could still end the wait of this node, and nothing else could: the waiter's node.
    case enders(Int)
    /// Nothing could end the wait of this node.
    case nobody(Int)
  }

  /// Why one node waits for another.
  public enum Reason: Hashable, Sendable {
    /// From an operation to what it depends on.
    case dependency
    /// An open wait: its index in `trace.waits`.
    case wait(Int)
    /// From an operation to its queue's slots, and from these to an operation that holds one.
    case slot
    /// From what was enqueued behind a barrier to the barrier, and from the barrier to what was enqueued before it.
    case barrier
    /// From a queue's emptiness to an operation in the queue.
    case member
    /// From an operation of the main queue to the main thread.
    case mainThread
    /// From what executes on this thread to the lock that the thread waits for.
    case lock(ThreadID)
    /// From a lock to what its holder, this thread, executes.
    case holder(ThreadID)
    /// From what executes on this thread to the thread whose end it waits for.
    case join(ThreadID)
    /// From work in a dispatch queue to the queue's turn, and from the turn to what runs there.
    case turn
    /// From the caller of `sync` to the block that it submitted.
    case sync
    /// From work that something has to resume to its submissions, and from these to each of them: one of them is likely
    /// to resume it. Others that are not visible may do so, too.
    case submission
    /// From who waits for a signal to all that could still give it, and from these to each of them.
    case ender
    /// The same to a thread that may be able to give it: nothing shows it, but not all of it is known.
    case mayEnd
    /// From a task to the one whose end it waits for, and to the children of its group.
    case task
    /// From a task that waits for its turn on an actor to the only task that can be in it.
    case actor
    /// To a root: nothing will undo it.
    case root
  }

  /// One node waits for another. Numbers are indexes in ``nodes``.
  public struct Edge: Sendable, Hashable {
    /// The waiter.
    public var from: Int
    /// What it waits for.
    public var to: Int
    /// Why.
    public var reason: Reason
  }

  /// Everything that waits or is waited for.
  public let nodes: [Node]
  /// Sorted by `from`.
  public let edges: [Edge]
  private let starts: [Int]
  private let backStarts: [Int]
  /// Indexes of edges, grouped by the node that they lead to.
  private let back: [Int]
  private let operations: OperationNodes
  /// For slots and other nodes with alternatives: how many of these have to finish before one of the waiters may
  /// continue.
  private let slotNeeds: [Int: Int]

  /// O(operations + dependencies + waits + blocks + tasks).
  public init(of trace: Trace) {
    var builder = WaitForBuilder(trace)
    builder.run()
    self.init(builder)
  }

  private init(_ builder: WaitForBuilder) {
    nodes = builder.nodes
    operations = builder.operations
    slotNeeds = builder.slotNeeds
    (edges, starts) = Self.sorted(builder.edges, count: nodes.count) { $0.from }
    let (numbers, backStarts) = Self.sorted(Array(edges.indices), count: nodes.count) { [edges] in edges[$0].to }
    back = numbers
    self.backStarts = backStarts
  }

  /// What a node waits for.
  public func edges(from node: Int) -> ArraySlice<Edge> { edges[starts[node]..<starts[node + 1]] }

  /// Who waits for a node.
  public func edges(to node: Int) -> some RandomAccessCollection<Edge> {
    back[backStarts[node]..<backStarts[node + 1]].lazy.map { edges[$0] }
  }

  /// The node of the operation at this index in the trace; nil: it is finished, or its end is not known.
  public func node(ofOperationAt index: Int) -> Int? { operations[index] }

  /// How many of the nodes that a node waits for have to be satisfied before it is.
  public func needed(of node: Int) -> Int { slotNeeds[node] ?? edges(from: node).count }

  /// Whether the nodes that it waits for are alternatives.
  func hasAlternatives(_ node: Int) -> Bool { slotNeeds[node] != nil }

  /// Whether nothing visible will ever satisfy this node.
  public func isRoot(_ node: Int) -> Bool {
    switch nodes[node] {
    case .suspension, .noSlots, .neverEnqueued, .abandonedLock, .nobody: true
    case .operation, .slots, .emptiness, .earlier, .thread, .lock, .block, .task, .turn, .submissions, .enders: false
    }
  }

  /// The values sorted by a key, by counting, and where each key begins.
  private static func sorted<Value>(_ values: [Value], count: Int, by key: (Value) -> Int) -> ([Value], [Int]) {
    var starts = [Int](repeating: 0, count: count + 1)
    for value in values { starts[key(value) + 1] += 1 }
    for number in 0..<count { starts[number + 1] += starts[number] }
    guard var result = values.first.map({ [Value](repeating: $0, count: values.count) }) else { return ([], starts) }
    var next = starts
    for value in values {
      result[next[key(value)]] = value
      next[key(value)] += 1
    }
    return (result, starts)
  }
}

extension WaitForGraph {
  /// Which nodes cannot be satisfied any more, whatever the program's unfinished operations do: the complement of the
  /// least fixed point of what can still continue. O(nodes + edges).
  ///
  /// - Parameters:
  ///   - dead: nodes that are known to be stuck, besides the graph's own roots.
  ///   - isIn: only these nodes count; all others are assumed to continue.
  public func blocked(dead: Set<Int> = [], among isIn: [Bool]? = nil) -> [Bool] {
    func counts(_ node: Int) -> Bool { isIn.map { $0[node] } ?? true }
    var open = [Int](repeating: 0, count: nodes.count)
    var isBlocked = [Bool](repeating: false, count: nodes.count)
    var satisfied: [Int] = []
    for node in nodes.indices where counts(node) {
      isBlocked[node] = true
      // Nodes outside are assumed to continue.
      open[node] = max(0, needed(of: node) - edges(from: node).count { !counts($0.to) })
      if open[node] == 0, !isRoot(node), !dead.contains(node) { satisfied.append(node) }
    }
    for node in satisfied { isBlocked[node] = false }
    while let node = satisfied.popLast() {
      for edge in edges(to: node) where isBlocked[edge.from] {
        open[edge.from] -= 1
        guard open[edge.from] == 0, !isRoot(edge.from), !dead.contains(edge.from) else { continue }
        isBlocked[edge.from] = false
        satisfied.append(edge.from)
      }
    }
    return isBlocked
  }
}
