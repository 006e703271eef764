import OpTraceModel

extension Change {
  /// Throws where two of them say different things of one queue or operation. O(changes² + operations).
  public static func check(_ changes: [Change]) throws(ChangeError) {
    for (place, change) in changes.enumerated() {
      for other in changes[..<place] where change.contradicts(other) { throw .contradiction(other.text, change.text) }
    }
  }

  private func contradicts(_ other: Change) -> Bool {
    switch (effect, other.effect) {
    case (.limit(let one, _), .limit(let two, _)): one == two
    case (.merge(let one, _), .limit(let two, _)), (.limit(let two, _), .merge(let one, _)): one == two
    case (.merge(let one, let into), .merge(let two, let twoInto)): one == two || one == twoInto || into == two
    case (.merge(let from, _), .move(_, let to)), (.move(_, let to), .merge(let from, _)): from == to
    case (.faster(let one, _), .faster(let two, _)), (.move(let one, _), .move(let two, _)),
      (.priority(let one, _), .priority(let two, _)):
      !Set(one).isDisjoint(with: two)
    case (.processors, .processors), (.threads, .threads): true
    default: false
    }
  }
}
