public import OpTraceAnalysis
public import OpTraceModel

extension GraphPicture {
  /// Operations that share a box, counted and added up.
  public struct Fold: Sendable {
    /// From 1, in the order of first operations.
    public var number: Int
    /// Ascending.
    public var members: [OperationID]
    /// How many operations are in the box.
    public var count: Int { members.count }
    /// What is in no state that is known is in ``unknown``.
    public var states: [ShownState: Int] = [:]
    /// Of these, how many were seen in part: whether they ran is not known.
    public var unknown = 0
    /// The sums of all three times.
    public var times = OperationTimes()
    /// How many are on the critical path.
    public var critical = 0
    /// Edges between two operations of this box.
    public var inner = 0
    /// "blocked 10 s · queued 2.1 s · ran 34.5 s"
    public var timesText = ""
  }

  /// What is folded, as a sentence without a full stop; nil: nothing.
  public var foldingNote: String? { verdicts.first { $0.lead == Self.foldingLead }.map { "folded \($0.text)" } }

  static let foldingLead = "Folded:"
}
