public import OpTraceModel

/// Who waits for whom, by index instead of id: node `i` is `trace.operations[i]`.
///
/// Stored as two flat arrays per direction, so that even a graph of a million edges costs only two allocations per
/// direction. No recursion: a chain of any length is safe on any stack.
public struct DependencyGraph: Sendable {
  /// An edge in the direction of waiting: `waiter` can't start before `dependency` is finished.
  public struct Edge: Hashable, Sendable {
    // Int32 halves the memory: a graph may have millions of edges.
    private var packedWaiter: Int32
    private var packedDependency: Int32

    /// A number out of range becomes one that the graph leaves out.
    public init(waiter: Int, dependency: Int) {
      packedWaiter = Int32(exactly: waiter) ?? -1
      packedDependency = Int32(exactly: dependency) ?? -1
    }

    /// The node that waits.
    public var waiter: Int { Int(packedWaiter) }
    /// The node that it waits for.
    public var dependency: Int { Int(packedDependency) }
  }

  /// Nodes are `0..<nodeCount`, like the operations of the trace.
  public let nodeCount: Int
  /// Each edge once, sorted by waiter, then dependency.
  public let edges: [Edge]
  private let dependencyStarts: [Int32]
  private let dependentStarts: [Int32]
  private let dependentTargets: [Int32]

  /// Edges that name a node outside `0..<nodeCount` are left out; repeated ones count once. O(e log e).
  public init(nodeCount: Int, edges given: consuming [Edge]) {
    let nodes = 0..<max(0, nodeCount)
    self.nodeCount = nodes.count
    // In place, because a second list of the edges of a large graph costs more than everything else.
    var unique = given
    unique.removeAll { !nodes.contains($0.waiter) || !nodes.contains($0.dependency) }
    unique.sort { $0.waiter == $1.waiter ? $0.dependency < $1.dependency : $0.waiter < $1.waiter }
    unique.removeRepetitions()
    edges = unique

    var starts = [Int32](repeating: 0, count: nodes.count + 1)
    var backStarts = starts
    for edge in unique {
      starts[edge.waiter + 1] += 1
      backStarts[edge.dependency + 1] += 1
    }
    for node in nodes {
      starts[node + 1] += starts[node]
      backStarts[node + 1] += backStarts[node]
    }
    var next = backStarts
    var targets = [Int32](repeating: 0, count: unique.count)
    for edge in unique {
      targets[Int(next[edge.dependency])] = Int32(edge.waiter)
      next[edge.dependency] += 1
    }
    dependencyStarts = starts
    dependentStarts = backStarts
    dependentTargets = targets
  }

  /// Every dependency of the trace that was still in force when its dependent started (or at the end).
  public init(of trace: Trace) {
    self.init(trace, where: { _ in true }, target: { _ in true })
  }

  /// What still blocks at the end of the trace: dependencies on unfinished operations, of operations that have neither
  /// started nor been cancelled (cancelling drops the dependencies).
  public static func blocking(in trace: Trace) -> DependencyGraph {
    DependencyGraph(
      trace,
      where: { $0.finished == nil && $0.started == nil && $0.executionBegan == nil && $0.cancelRequested == nil },
      target: { $0.finished == nil })
  }

  private init(_ trace: Trace, where waits: (OperationRecord) -> Bool, target: (OperationRecord) -> Bool) {
    var edges: [Edge] = []
    // Access operations by index: copying one costs more than reading it.
    for index in trace.operations.indices where waits(trace.operations[index]) {
      for dependency in trace.operations[index].dependencies
      where dependency.removed == nil || dependency.isInForce(for: trace.operations[index]) {
        guard let other = trace.index(of: dependency.on), target(trace.operations[other]) else { continue }
        edges.append(Edge(waiter: index, dependency: other))
      }
    }
    self.init(nodeCount: trace.operations.count, edges: edges)
  }

  /// The nodes that `node` waits for, ascending.
  public func dependencies(of node: Int) -> some RandomAccessCollection<Int> & Sendable {
    edges[Int(dependencyStarts[node])..<Int(dependencyStarts[node + 1])].lazy.map(\.dependency)
  }

  /// The nodes that wait for `node`, ascending.
  public func dependents(of node: Int) -> some RandomAccessCollection<Int> & Sendable {
    dependentTargets[Int(dependentStarts[node])..<Int(dependentStarts[node + 1])].lazy.map { Int($0) }
  }

  func dependencyCount(of node: Int) -> Int { Int(dependencyStarts[node + 1] - dependencyStarts[node]) }
  func dependency(_ number: Int, of node: Int) -> Int {
    edges[Int(dependencyStarts[node]) + number].dependency
  }
}

extension Dependency {
  /// Whether it may explain when its dependent started: false if it was removed before that.
  func isInForce(for holder: OperationRecord) -> Bool {
    guard let removed else { return true }
    guard let began = (holder.started ?? holder.executionBegan)?.time else { return false }
    return removed >= began
  }
}
