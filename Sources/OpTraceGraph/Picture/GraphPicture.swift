public import OpTraceModel

/// A dependency graph as it is to be drawn: with its texts and states, before the layout. Made from a trace by
/// ``init(of:options:)``; written by ``DOTWriter``, and by ``SVGWriter`` once a layout has placed it.
public struct GraphPicture: Sendable {
  /// The headline: the process and how many operations.
  public var title = ""
  /// Under the title, muted.
  public var subtitle = ""
  /// What the picture comes to, the gravest first.
  public var verdicts: [Verdict] = []
  /// Queues (or classes) that have nodes, in the order of the picture.
  public var lanes: [Lane] = []
  /// Operations in the order of their numbers, then other work.
  public var nodes: [Node] = []
  /// What has to be finished before what, each with its reason.
  public var edges: [Edge] = []
  /// What the time bars mean.
  public var period: ClosedRange<Nanoseconds> = 0...0
  /// What is drawn as stuck is so for certain.
  var isStuckProven = true

  /// One thing that the picture comes to.
  public struct Verdict: Sendable, Hashable {
    /// How grave it is.
    public enum Kind: String, Sendable {
      /// All is finished.
      case good
      /// Something to know.
      case note
      /// Something is missing, failed or not over.
      case warning
      /// Something cannot go on.
      case deadlock
    }
    /// How grave it is.
    public var kind: Kind
    /// The first words, emphasised.
    public var lead: String
    /// The rest of the sentence.
    public var text: String
  }

  /// A queue's (or a class's) part of the picture.
  public struct Lane: Sendable {
    /// Unique in the picture: letters, digits, hyphens.
    public var id: String
    /// The class that its nodes carry.
    public var nodeClass: String
    /// The queue's or the class's name.
    public var title: String
    /// "max 4 · 8 ops · 32 % busy"
    public var caption: String
    /// All that is known of it. Lines, ended by "\n".
    public var tooltip: String
    package var style: LaneStyle
    /// False for what is in no queue: it is drawn in a row of its own, without a box around it.
    public var isBoxed: Bool
    /// It starts nothing, and operations wait for it.
    public var isCulprit = false
  }

  /// An operation, a block or a task, or many of one box.
  public struct Node: Sendable {
    /// The operation, block or task in the trace.
    public var operation: OperationID
    /// In ``GraphPicture/lanes``.
    public var lane: Int
    /// Its state at the end of the trace.
    public var state: ShownState
    /// In full; the writers cut it to the node's width.
    public var name: String
    /// "#5 · 1.23 s"
    public var caption: String
    /// What it did when; parts in the order of time, which do not overlap.
    public var bar: [BarPart]
    /// It lies on the critical path.
    public var isCritical = false
    /// It is a barrier of its queue.
    public var isBarrier = false
    /// Only named as a dependency.
    public var isExternal = false
    /// Seen in part: whether it ran is not known. Drawn as pending, and counted apart.
    public var isUnknown = false
    /// Others cannot go on because of it alone.
    public var isCulprit = false
    /// Lines, ended by "\n".
    public var tooltip: String
    /// Many operations in one box, of which ``operation`` is the first; nil: one.
    public var fold: Fold?
    /// In a comparison, shown instead of the state; nil: a picture of one run.
    public var difference: BoxDifference?

    /// Names it in the SVG and the DOT text; the same in a later trace of the same run.
    public var id: String { fold.map { "fold-\($0.number)" } ?? "op-\(operation.rawValue)" }
    /// As ids of edges name it.
    var mark: String { fold.map { "f\($0.number)" } ?? "\(operation.rawValue)" }
  }

  /// A part of the time bar; `from` and `to` as parts of the period, 0 to 1.
  public struct BarPart: Sendable, Hashable {
    /// What an operation does in a part of its time.
    public enum Kind: String, Sendable, CaseIterable {
      /// Waited for dependencies.
      case blocked
      /// Waited for a slot of its queue.
      case queued
      /// Its own code ran.
      case ran
    }
    /// What it did in this time.
    public var kind: Kind
    /// Where the part begins.
    public var from: Double
    /// Where it ends.
    public var to: Double
  }

  /// From what has to be finished first to what waits for it.
  public struct Edge: Sendable, Hashable {
    /// Why the later one waits.
    public enum Kind: String, Sendable, CaseIterable {
      /// A dependency between operations.
      case dependency
      /// The later one had to wait for the earlier one's slot; only drawn on the critical path.
      case slot
      /// Where nothing moves any more: the later one needs a slot that the earlier one does not give back, …
      case heldSlot = "held-slot"
      /// … blocks in a wait that is not over, …
      case wait
      /// … is queued behind a barrier, or is one, …
      case barrier
      /// … needs the main thread.
      case mainThread = "main-thread"
      /// The earlier one's code submitted the later one, and waits for nothing.
      case submission
      /// The later one, a task, is suspended until the earlier one is over.
      case awaited
    }
    /// In ``GraphPicture/nodes``.
    public var from: Int
    /// In ``GraphPicture/nodes``.
    public var to: Int
    /// Why the later one waits.
    public var kind = Kind.dependency
    /// The critical path runs through it.
    public var isCritical = false
    /// A part of a cycle of waiting.
    public var isCycle = false
    /// The later one has not begun: the edge still holds, or will never.
    public var isOpen = false
    /// A few words on the line; nil: none.
    public var label: String?
    /// How many edges between operations it represents.
    public var count = 1
    /// Between boxes that come both before and behind each other: its cycle need be none of operations.
    public var isMixed = false
    /// Of a comparison; nil: of one run, or the same.
    public var difference: BoxDifference?
  }

  /// How many operations are in this state; what was recorded in part is counted apart.
  public func count(of state: ShownState) -> Int {
    nodes.reduce(0) { $0 + ($1.fold?.states[state] ?? ($1.fold == nil && $1.state == state && !$1.isUnknown ? 1 : 0)) }
  }

  /// Some box represents many operations.
  public var isFolded: Bool { nodes.contains { $0.fold != nil } }

  /// Above this many boxes each is drawn with little more than its name, and as an element only close to: a file that a browser opens.
  public static let mostDetailed = 5000
  var isLean: Bool { nodes.count > Self.mostDetailed }

  /// "e-1-5": names both ends, so it stays the same from one trace of a run to a later one. A folded end is "f3".
  public func id(of edge: Edge) -> String {
    "\(edge.kind.mark)-\(nodes[edge.from].mark)-\(nodes[edge.to].mark)"
  }

  package func cssClass(of edge: Edge) -> String {
    var classes = ["dep"]
    if edge.kind != .dependency { classes.append(edge.kind.rawValue) }
    if edge.isCritical { classes.append("critical") }
    if edge.isCycle { classes.append("cycle") }
    if edge.isOpen { classes.append("open") }
    if edge.isMixed { classes.append("mixed") }
    if let difference = edge.difference { classes.append(difference.rawValue) }
    return classes.joined(separator: " ")
  }

  package func cssClass(of node: Node) -> String {
    var classes = ["op", node.look]
    if node.fold != nil { classes.insert("fold", at: 1) }
    if node.isCritical { classes.append("critical") }
    if node.isBarrier { classes.append("barrier") }
    if node.isExternal { classes.append("external") }
    if node.isUnknown { classes.append("unknown") }
    if node.isCulprit { classes.append("culprit") }
    if !lanes[node.lane].nodeClass.isEmpty { classes.append(lanes[node.lane].nodeClass) }
    return classes.joined(separator: " ")
  }
}

extension GraphPicture.Edge.Kind {
  /// How ids begin.
  var mark: String {
    switch self {
    case .dependency: "e"
    case .slot: "s"
    case .heldSlot: "h"
    case .wait: "w"
    case .barrier: "b"
    case .mainThread: "m"
    case .submission: "u"
    case .awaited: "a"
    }
  }
}

/// What a picture shows.
public struct GraphOptions: Sendable {
  /// What a lane is.
  public enum Grouping: String, Sendable, CaseIterable {
    /// The queue that an operation was given to.
    case queue
    /// The class of an operation.
    case `class`
  }

  /// Only these and what lies at most `hops` edges away; nil: everything.
  public struct Focus: Sendable {
    /// The operations in the middle.
    public var operations: [OperationID]
    /// How many edges away the rest may be; 0: these operations alone.
    public var hops: Int
    /// What the user wrote, for the title.
    public var name: String

    /// Only these and what is near them.
    public init(operations: [OperationID], hops: Int, name: String) {
      self.operations = operations
      self.hops = hops
      self.name = name
    }
  }

  /// A kind of work that a picture has boxes of.
  public enum Layer: String, Sendable, CaseIterable {
    /// Operations and their dependencies.
    case operations
    /// Blocks of dispatch queues, and who submitted them.
    case dispatch
    /// Swift's tasks, and who created them.
    case tasks
  }

  /// Work that is not among these is named by the operations that submitted it.
  public var layers: Set<Layer> = [.operations]
  /// What a lane is.
  public var grouping = Grouping.queue
  /// Marks the chain that decided when the run was over.
  public var showsCriticalPath = true
  /// The part that is shown; nil: everything.
  public var focus: Focus?
  /// Only what cannot go on: cycles of waiting, culprits, and what waits for them over at most this many operations.
  /// Nil: everything.
  public var stuckHops: Int?
  /// Where more than this are to be shown, like ones are folded into so many boxes at most. Nil: every operation is a box.
  public var mostBoxes: Int?

  /// As many boxes as somebody can still read one by one; up to as many, Graphviz lays out lanes and lines at its best.
  public static let readable = 300

  /// Operations; of a trace without any, what it has instead.
  public static func usualLayers(of trace: Trace) -> Set<Layer> {
    guard trace.operations.isEmpty else { return [.operations] }
    let present = WorkKind.allCases.filter { !$0.indexes(in: trace).isEmpty }.map(\.layer)
    return present.isEmpty ? [.operations] : Set(present)
  }

  /// Everything, by queue, with the critical path.
  public init() {}
}
