import OpTraceFormat

extension SpanRecord {
  /// Applies an event whose subject is this span.
  mutating func add(_ kind: EventKind, _ event: TraceEvent) {
    let text = event.text ?? ""
    switch kind {
    case .spanContext:
      let fields = EventFields.SpanContext(event.word1, event.word2)
      parent = fields.parent == 0 ? nil : SpanID(fields.parent)
      self.kind = Kind(rawValue: fields.kind) ?? .internal
      context = Context(text)
    case .spanAttribute:
      let type = Attribute.ValueType(rawValue: EventFields.SpanAttribute(event.word1).type) ?? .text
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      set(Attribute(key: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "", type: type))
    case .spanStatus:
      let fields = EventFields.SpanStatus(event.word1)
      let code: Status.Code? =
        switch fields.code {
        case 1: .ok
        case 2: .error
        default: nil
        }
      status = code.map { Status(code: $0, message: text.isEmpty ? nil : text) }
      leftOut = max(leftOut, Int(fields.leftOut))
    case .spanLink:
      let to = EventFields.SpanLink(event.word1).to
      guard links.count < Layout.mostSpanDetails else { return leftOut += 1 }
      links.append(Link(span: to == 0 ? nil : SpanID(to), context: Context(text)))
    case .spanNamed: name = text
    default: break
    }
  }

  private mutating func set(_ attribute: Attribute) {
    if let index = attributes.firstIndex(where: { $0.key == attribute.key }) {
      attributes[index] = attribute
    } else if attributes.count < Layout.mostSpanDetails {
      attributes.append(attribute)
    } else {
      leftOut += 1
    }
  }
}
