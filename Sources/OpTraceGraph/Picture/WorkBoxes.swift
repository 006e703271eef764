import OpTraceModel

/// Decides which blocks and tasks share a box.
struct WorkBoxes {
  /// The indexes of the trace's work, by box.
  private(set) var members: [[Int]] = []
  var isFolded: Bool { members.contains { $0.count > 1 } }

  /// What has to be known about each piece of work.
  struct Member {
    var index: Int
    var id: WorkID
    var lane: Int
    var kind: String
    var submitter: WorkID?
    var isOver: Bool
    /// Whether it shares a box even if there is room for all.
    var alwaysFolds = false
  }

  private struct Key: Hashable {
    var lane: Int
    var kind: String
    /// The box of its submitter: an operation's box by its index, or one of these boxes, which count down from -1.
    var submitter: Int
    /// Keeps what is not over apart, so that it can be seen.
    var isOver: Bool
  }

  /// How finely work is grouped, from finest to coarsest.
  private enum Likeness: CaseIterable { case none, submitter, kind, lane }

  /// - Parameter submitters: the boxes that exist already.
  init(_ shown: [Member], submitters: [WorkID: Int], room: Int) {
    for likeness in Likeness.allCases {
      let isLast = likeness == Likeness.allCases.last
      guard let found = Self.fold(shown, submitters, likeness, room: isLast ? .max : room) else { continue }
      members = found
      return
    }
  }

  /// Groups the work. Returns nil if there are more boxes than there is room for.
  private static func fold(
    _ shown: [Member], _ submitters: [WorkID: Int], _ likeness: Likeness, room: Int
  ) -> [[Int]]? {
    var members: [[Int]] = []
    var known: [Key: Int] = [:]
    var boxes = submitters
    for one in shown {
      guard members.count <= room else { return nil }
      guard likeness != .none || one.alwaysFolds else {
        boxes[one.id] = -1 - members.count
        members.append([one.index])
        continue
      }
      let tellsSubmitter = likeness == .none || likeness == .submitter
      let submitter = tellsSubmitter ? one.submitter.flatMap { boxes[$0] } : nil
      let key = Key(
        lane: one.lane, kind: likeness == .lane ? "" : one.kind, submitter: submitter ?? .max,
        isOver: likeness == .lane || one.isOver)
      let number = known[key] ?? members.count
      if number == members.count {
        known[key] = number
        members.append([])
      }
      members[number].append(one.index)
      boxes[one.id] = -1 - number
    }
    return members.count <= room ? members : nil
  }
}
