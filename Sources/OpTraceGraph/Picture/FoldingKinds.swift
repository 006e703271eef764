import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// What must not get lost in a crowd: sets of operations, the most important set first.
///
/// As many sets as there is room for keep a box for each operation. The others fold too, but only among themselves, and
/// the picture says so.
struct FoldingMarks {
  private enum Reason: String, CaseIterable {
    case named = "what --focus names"
    case faulty = "what has an error"
    case failed = "what failed"
    case critical = "the critical path"
    case warned = "what has a warning"
    case stalled = "what is stuck behind others"
  }

  /// Whether each operation has a box of its own, by number in `shown`.
  private(set) var isWhole: [Bool]
  /// The number of the set without room that each operation is in, by number in `shown`. 0: none.
  private(set) var marks: [Int32]
  /// Whether the critical path found no room, and so runs through boxes that are formed without regard to it. Keeping
  /// its operations apart would tear up every stage of a pipeline that it touches.
  private(set) var foldsPath = false
  /// "what has a warning (100,000)"
  private(set) var crowded: [String] = []

  init(_ builder: GraphPictureBuilder, room: Int) {
    let shown = builder.shown
    isWhole = [Bool](repeating: false, count: shown.count)
    marks = [Int32](repeating: 0, count: shown.count)
    let named = Set(builder.options.focus?.operations.compactMap(builder.trace.index) ?? [])
    func findings(_ severity: Finding.Severity) -> Set<Int> {
      Set(
        builder.diagnosis.findings.lazy.filter { $0.severity == severity }
          .flatMap { $0.operations + $0.cycle }.compactMap(builder.trace.index))
    }
    let errors = findings(.error).union(builder.stuck.cycles.keys).union(builder.stuck.culprits)
    let warnings = findings(.warning)
    var left = room
    for (number, reason) in Reason.allCases.enumerated() {
      func belongs(_ index: Int) -> Bool {
        switch reason {
        case .named: named.contains(index)
        case .faulty: errors.contains(index)
        case .failed: builder.trace.operations[index].state == .failed
        case .critical: builder.isCritical[index]
        case .warned: warnings.contains(index)
        case .stalled: builder.stuck.stalled.contains(index)
        }
      }
      let members = shown.indices.filter { !isWhole[$0] && belongs(shown[$0]) }
      if members.count <= left {
        left -= members.count
        for member in members { isWhole[member] = true }
      } else if reason == .critical {
        foldsPath = true
      } else {
        // Operations that only have a warning fold with all others, like the path.
        for member in members where marks[member] == 0 && reason != .warned { marks[member] = Int32(number) + 1 }
        crowded.append("\(reason.rawValue) (\(grouped(members.count)))")
      }
    }
  }
}

/// The kinds of operations, as numbers: equal numbers fold. First they are told apart by name, class and queue, then by
/// class and queue. Operations that differ in these fold only if there is no other way.
struct FoldingKinds {
  let tiers: [[[Int32]]]

  init(_ builder: GraphPictureBuilder, marks: [Int32]) {
    struct Kind: Hashable {
      var stem: Int32 = 0
      var className: Int32 = 0
      var queue: UInt32?
      var mark: Int32 = 0
      var isBarrier = false
      var isUnknown = false
    }
    let operations = builder.trace.operations
    var texts: [String: Int32] = [:]
    func number(_ text: String) -> Int32 {
      if let old = texts[text] { return old }
      let new = Int32(texts.count + 1)
      texts[text] = new
      return new
    }
    // There are few kinds, so the levels are made from them.
    var kinds: [Kind] = []
    var numbers: [Kind: Int32] = [:]
    let fine = builder.shown.enumerated().map { node, index in
      let kind = Kind(
        stem: operations[index].name.map { number(NameStem.of($0)) } ?? 0,
        className: number(operations[index].kind), queue: operations[index].queue?.rawValue, mark: marks[node],
        isBarrier: operations[index].isBarrier, isUnknown: !operations[index].isOutcomeKnown)
      if let old = numbers[kind] { return old }
      let new = Int32(kinds.count)
      numbers[kind] = new
      kinds.append(kind)
      return new
    }
    func level(_ change: (inout Kind) -> Void) -> [Int32] {
      var known: [Kind: Int32] = [:]
      let level = kinds.map { kind in
        var kind = kind
        change(&kind)
        let number = known[kind] ?? Int32(known.count)
        known[kind] = number
        return number
      }
      return fine.map { level[Int($0)] }
    }
    let queues = Set(kinds.map(\.queue)).count
    let classes = Set(kinds.map(\.className)).count
    // Whichever of the two has fewer values says more with the same number of boxes.
    let coarse = level { kind in
      kind.stem = 0
      if queues <= classes { kind.className = 0 } else { kind.queue = nil }
    }
    tiers = [[level { _ in }, level { $0.stem = 0 }], [coarse], [level { $0 = Kind(mark: $0.mark) }]]
  }
}
