import OpTraceKernel
package import OpTraceModel
package import OpTraceSamples

/// A profile's stacks merged into a tree, beginning with the outermost callers: what a flame graph draws.
///
/// Functions are those of ``Profile/functions``, whatever line of them was running. An async caller that is joined from
/// a suspension is a different node from the same function on a thread's stack.
package struct FlameTree: Sendable, Equatable {
  /// What a node stands for.
  package enum Part: Hashable, Sendable {
    /// The root: the whole profile.
    case all
    /// An index in ``Profile/owners``.
    case owner(Int)
    /// The unknown caller of the outermost known frame.
    case callersUnknown
    /// An index in ``Profile/functions``.
    case function(Int)
    /// A frame or a stack that is missing from the profile.
    case unknown
    /// The system, in a call that its parent made.
    case kernel
  }

  /// How the children of a node are sorted.
  package enum Order: Sendable {
    /// Owners by name; async callers, then functions by name, module, file and line; the kernel last.
    case name
    /// The heaviest first, those of the same weight by name.
    case weight
  }

  /// A node: something that was on stacks, below all its callers.
  package struct Node: Sendable, Equatable {
    /// What it is.
    package var part: Part
    /// Whether it is an async caller, which was on no thread's stack.
    package var isJoined: Bool
    /// Whether its code was inlined into its caller wherever it was seen.
    package var isInlined: Bool
    /// The index of its caller; the root has its own, 0.
    package var parent: Int
    /// How many callers it has; 0: the root.
    package var depth: Int
    /// The index after its last descendant.
    package var end: Int
    /// The weight of everything to the left of it, in nanoseconds. Its own weight is to the right of its children.
    package var start: Nanoseconds
    /// Nanoseconds of it and of all that it called.
    package var weight: Nanoseconds
    /// Nanoseconds in which it was the innermost.
    package var ownWeight: Nanoseconds
    /// Samples with it and what it called.
    package var samples: Int
    /// Samples in which it was the innermost.
    package var ownSamples: Int
  }

  /// The root first, each node before its children. A node's children are in the tree's order: the first is at
  /// `node + 1`, the next at the ``Node/end`` of the one before.
  package let nodes: [Node]

  /// O(samples × depth), plus sorting siblings. Negative weights count as 0, and no sum exceeds `Nanoseconds.max`.
  ///
  /// - Parameter byOwner: the first level is the owners, if there are any.
  package init(_ profile: Profile, byOwner: Bool = false, order: Order = .name) {
    var growing = GrowingTree(profile, byOwner: byOwner)
    for group in SampleGroups(profile, byOwner: byOwner).groups { growing.add(group) }
    nodes = growing.finished(order)
  }

  /// The root.
  package var root: Node { nodes[0] }

  /// The indexes of a node's children, in the tree's order. O(children).
  package func children(of node: Int) -> [Int] {
    guard nodes.indices.contains(node) else { return [] }
    var result: [Int] = []
    var child = node + 1
    while child < nodes[node].end {
      result.append(child)
      child = nodes[child].end
    }
    return result
  }
}
