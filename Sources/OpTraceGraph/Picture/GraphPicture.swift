package import OpTraceDoctor
public import OpTraceModel

/// A dependency graph ready to be drawn, with its texts and states, but before the layout. ``init(of:options:)`` makes
/// it from a trace; ``DOTWriter`` writes it, and so does ``SVGWriter`` once a layout has placed it.
public struct GraphPicture: Sendable {
  /// The headline: the process, and the number of operations.
  public var title = ""
  /// The line under the title, in a muted colour.
  public var subtitle = ""
  /// The conclusions from the picture, the most serious first.
  public var verdicts: [Verdict] = []
  /// The queues (or classes) that have nodes, in the order of the picture.
  public var lanes: [Lane] = []
  /// The operations in the order of their numbers, followed by other work.
  public var nodes: [Node] = []
  /// What has to finish before what, each with its reason.
  public var edges: [Edge] = []
  /// The period that the time bars cover.
  public var period: ClosedRange<Nanoseconds> = 0...0
  /// Whether what is drawn as stuck is proven to be stuck.
  var isStuckProven = true
  /// Whether it shows what may hang in another run.
  var isOfAnotherRun = false

  /// One conclusion from the picture.
  public struct Verdict: Sendable, Hashable {
    /// How serious a verdict is.
    public enum Kind: String, Sendable {
      /// Everything has finished.
      case good
      /// Something worth knowing.
      case note
      /// Something is missing, has failed or is not over.
      case warning
      /// Something cannot go on.
      case deadlock
    }
    /// How serious it is.
    public var kind: Kind
    /// The first words, which are emphasised.
    public var lead: String
    /// The rest of the sentence.
    public var text: String
  }

  /// The part of the picture for one queue (or class).
  public struct Lane: Sendable {
    /// The id of the lane, unique in the picture: letters, digits, hyphens.
    public var id: String
    /// The CSS class of its nodes.
    public var nodeClass: String
    /// The name of the queue or the class.
    public var title: String
    /// "max 4 · 8 ops · 32 % busy"
    public var caption: String
    /// Everything known about it. Lines, separated by "\n".
    public var tooltip: String
    package var style: LaneStyle
    /// Whether it is drawn as a box. False for work in no queue: that gets a row of its own, without a box around it.
    public var isBoxed: Bool
    /// Whether it starts nothing although operations wait for it.
    public var isCulprit = false
  }

  /// An operation, a block or a task, or several of them in one box.
  public struct Node: Sendable {
    /// The operation, block or task in the trace.
    public var operation: OperationID
    /// The index of its lane in ``GraphPicture/lanes``.
    public var lane: Int
    /// Its state at the end of the trace.
    public var state: ShownState
    /// The full name; the writers cut it to the node's width.
    public var name: String
    /// "#5 · 1.23 s"
    public var caption: String
    /// What it did when. The parts are in the order of time and do not overlap.
    public var bar: [BarPart]
    /// Whether it lies on the critical path.
    public var isCritical = false
    /// Whether it is a barrier of its queue.
    public var isBarrier = false
    /// Whether it occurs only as a dependency of others.
    public var isExternal = false
    /// Whether it was seen only in part, so that it is not known whether it ran. It is drawn as pending, and counted
    /// separately.
    public var isUnknown = false
    /// Whether others cannot go on because of it alone.
    public var isCulprit = false
    /// The text of the tooltip. Lines, separated by "\n".
    public var tooltip: String
    /// The operations of the box, if there are several; ``operation`` is the first of them. Nil: just one.
    public var fold: Fold?
    /// The difference that a comparison shows instead of the state. Nil: a picture of one run.
    public var difference: BoxDifference?

    /// The id in the SVG and the DOT text. It stays the same in a later trace of the same run.
    public var id: String { fold.map { "fold-\($0.number)" } ?? "op-\(operation.rawValue)" }
    /// The name of the node in the ids of edges.
    var mark: String { fold.map { "f\($0.number)" } ?? "\(operation.rawValue)" }
  }

  /// A part of the time bar. `from` and `to` are fractions of the period, 0 to 1.
  public struct BarPart: Sendable, Hashable {
    /// What an operation does during a part of its time.
    public enum Kind: String, Sendable, CaseIterable {
      /// Waited for dependencies.
      case blocked
      /// Waited for a slot of its queue.
      case queued
      /// Its own code ran.
      case ran
    }
    /// What it did during this time.
    public var kind: Kind
    /// Where the part begins.
    public var from: Double
    /// Where it ends.
    public var to: Double
  }

  /// An edge from what has to finish first to what waits for it.
  public struct Edge: Sendable, Hashable {
    /// Why the later one waits.
    public enum Kind: String, Sendable, CaseIterable {
      /// A dependency between operations.
      case dependency
      /// The later one had to wait for the slot of the earlier one. Only drawn on the critical path.
      case slot
      /// When nothing moves any more: the later one needs a slot that the earlier one does not give back.
      case heldSlot = "held-slot"
      /// When nothing moves any more: the later one is blocked in a wait that is not over.
      case wait
      /// When nothing moves any more: the later one is queued behind a barrier, or is one.
      case barrier
      /// When nothing moves any more: the later one needs the main thread.
      case mainThread = "main-thread"
      /// The code of the earlier one submitted the later one; nothing waits.
      case submission
      /// The later one, a task, is suspended until the earlier one is over.
      case awaited
    }
    /// The index of the earlier node in ``GraphPicture/nodes``.
    public var from: Int
    /// The index of the later node in ``GraphPicture/nodes``.
    public var to: Int
    /// Why the later one waits.
    public var kind = Kind.dependency
    /// Whether the critical path runs through it.
    public var isCritical = false
    /// Whether it is part of a wait-for cycle.
    public var isCycle = false
    /// Whether the later one has not begun: the edge still holds, perhaps forever.
    public var isOpen = false
    /// A short label on the line. Nil: none.
    public var label: String?
    /// The number of edges between operations that it represents.
    public var count = 1
    /// Whether it runs between boxes that come both before and behind each other. Their cycle need not be one of
    /// operations.
    public var isMixed = false
    /// The difference that a comparison shows. Nil: a picture of one run, or no difference.
    public var difference: BoxDifference?
  }

  /// Returns the number of operations in this state. Operations that were recorded only in part are counted separately.
  public func count(of state: ShownState) -> Int {
    nodes.reduce(0) { $0 + ($1.fold?.states[state] ?? ($1.fold == nil && $1.state == state && !$1.isUnknown ? 1 : 0)) }
  }

  /// Whether some box represents several operations.
  public var isFolded: Bool { nodes.contains { $0.fold != nil } }

  /// The most boxes that are drawn in detail. With more, each shows little more than its name, and becomes an element
  /// only when the reader zooms in, so that browsers can open the file.
  public static let mostDetailed = 5000
  var isLean: Bool { nodes.count > Self.mostDetailed }

  /// Returns an id such as "e-1-5". It names both ends, so it stays the same in a later trace of the same run. A folded
  /// end is "f3".
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
  /// The prefix of the ids of such edges.
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
  /// What a lane stands for.
  public enum Grouping: String, Sendable, CaseIterable {
    /// The queue that an operation was given to.
    case queue
    /// The class of an operation.
    case `class`
  }

  /// Limits the picture to these operations and what lies at most `hops` edges away from them.
  public struct Focus: Sendable {
    /// The operations in the centre.
    public var operations: [OperationID]
    /// How many edges away the rest may be. 0: these operations alone.
    public var hops: Int
    /// What the user entered, for the title.
    public var name: String

    /// Limits the picture to these operations and what is near them.
    public init(operations: [OperationID], hops: Int, name: String) {
      self.operations = operations
      self.hops = hops
      self.name = name
    }
  }

  /// A kind of work that can have boxes in a picture.
  public enum Layer: String, Sendable, CaseIterable {
    /// Operations and their dependencies.
    case operations
    /// Blocks of dispatch queues, and who submitted them.
    case dispatch
    /// Swift's tasks, and who created them.
    case tasks
  }

  /// The kinds of work that are drawn. Other work is mentioned by the operations that submitted it.
  public var layers: Set<Layer> = [.operations]
  /// What a lane stands for.
  public var grouping = Grouping.queue
  /// Whether to mark the chain that decided when the run was over.
  public var showsCriticalPath = true
  /// The part that is shown. Nil: everything.
  public var focus: Focus?
  /// If set, only what cannot go on is shown: wait-for cycles, culprits, and what waits for them across at most this
  /// many operations. Nil: everything.
  public var stuckHops: Int?
  /// The most boxes. With more operations than this, similar ones are folded into boxes. Nil: every operation is a box.
  public var mostBoxes: Int?

  /// The most boxes that a reader can still take in one by one. Up to this number, Graphviz's layout of lanes and lines
  /// is at its best.
  public static let readable = 300

  /// Returns the usual layers: operations, or, in a trace without any, what it has instead.
  public static func usualLayers(of trace: Trace) -> Set<Layer> {
    guard trace.operations.isEmpty else { return [.operations] }
    let present = WorkKind.allCases.filter { !$0.indexes(in: trace).isEmpty }.map(\.layer)
    return present.isEmpty ? [.operations] : Set(present)
  }

  /// The rules that decide which parts cannot go on or have a finding.
  package let rules: RuleSet

  /// Shows everything, by queue, with the critical path.
  package init(rules: RuleSet) { self.rules = rules }
}
