package import OpTraceModel

// What pictures of other modules are made with: a struct's own memberwise initialiser ends at its module.

extension GraphPicture {
  /// Nothing is drawn yet.
  package init(titled title: String) {
    self.init()
    self.title = title
  }
}

extension GraphPicture.Verdict {
  package init(_ kind: Kind, lead: String, text: String) { self.init(kind: kind, lead: lead, text: text) }
}

extension GraphPicture.Lane {
  package init(
    id: String, nodeClass: String, title: String, caption: String, tooltip: String, style: LaneStyle,
    boxed isBoxed: Bool
  ) {
    self.init(
      id: id, nodeClass: nodeClass, title: title, caption: caption, tooltip: tooltip, style: style, isBoxed: isBoxed)
  }
}

extension GraphPicture.Node {
  /// A box of a comparison.
  package init(
    fold: GraphPicture.Fold, difference: BoxDifference, operation: OperationID, lane: Int, name: String,
    caption: String,
    tooltip: String
  ) {
    self.init(
      operation: operation, lane: lane, state: .finished, name: name, caption: caption, bar: [], tooltip: tooltip,
      fold: fold, difference: difference)
  }
}

extension GraphPicture.Edge {
  package init(_ from: Int, _ to: Int) { self.init(from: from, to: to) }
}

extension GraphPicture.Fold {
  package init(_ number: Int, of members: [OperationID]) { self.init(number: number, members: members) }
}
