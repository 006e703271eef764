import OpTraceModel

/// Which work that is no operation shares a box.
struct WorkBoxes {
  /// Indexes of the trace's work.
  private(set) var members: [[Int]] = []
  var isFolded: Bool { members.contains { $0.count > 1 } }

  /// What is asked of each.
  struct Member {
    var index: Int
    var id: WorkID
    var lane: Int
    var kind: String
    var submitter: WorkID?
    var isOver: Bool
    /// It shares a box even where there is room for all.
    var alwaysFolds = false
  }

  private struct Key: Hashable {
    var lane: Int
    var kind: String
    /// Of who submitted it: a box of an operation, or one of these, which count from below.
    var submitter: Int
    /// What is not over is to be seen.
    var isOver: Bool
  }

  /// How finely work is grouped, from the finest on.
  private enum Likeness: CaseIterable { case none, submitter, kind, lane }

  /// - Parameter submitters: the boxes that there are already.
  init(_ shown: [Member], submitters: [WorkID: Int], room: Int) {
    for likeness in Likeness.allCases {
      let isLast = likeness == Likeness.allCases.last
      guard let found = Self.fold(shown, submitters, likeness, room: isLast ? .max : room) else { continue }
      members = found
      return
    }
  }

  /// Nil: more than there is room for.
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
