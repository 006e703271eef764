import Testing

@testable import OpTraceModel

/// What values of the model have besides the properties that `GoldenTests` knows: by reflection, so that what comes of a new event
/// stands in its golden test without a word for it there.
enum UnsaidValues {
  /// The stored properties that `GoldenTests` has words for, or leaves out. What a type has besides stands behind them.
  private static let known = [
    "BlockRecord": """
    id queue submitted submitter submittedAt way isInGroup isItem code function codeText syncText began
    ended dropped cancelRequested
    """,
    "DispatchQueueRecord": "id label width target isMain isGlobal",
    "LoopRecord": "thread isManager turns busy idle longest seconds longTurns",
    "MarkRecord": "name operation at",
    "ObjectRecord": "id kind address name",
    "OperationRecord": """
    id queueNumber sharedClass sharedSource name dependencies blocks rareFacts addedFrame enqueuer madeFrame
    isEndLost compactCreated compactEnqueued compactReady compactStarted compactExecutionBegan
    compactExecutionEnded compactStartReturned compactFinished compactReleased compactLastSign startCount
    enqueueCount finishCount coverage traits priority quality
    """,
    "ProfileRecord": "period way seesKernel copied refused readings",
    "QueueRecord": """
    id name initialLimit initiallySuspended isMain quality created changes lastSign madeAt codeLocation
    """,
    "SeenThread": """
    thread state isRunning cpu cpuSince since call reason lock owner ownerHasEnded isTimed isStill at before
    """,
    "SpanRecord": "id name work began ended kind parent attributes status context links leftOut",
    "TaskRecord": """
    id submitted submitter submittedAt way priority name code function codeText enqueued actor runs
    suspensions cancelRequested completed
    """,
    "ThreadRecord": "id systemID name isMain lastSign",
    "ThreadSnapshot": "time threads moved refused isPartial",
    "Trace": """
    header threads queues operations blocks tasks dispatchQueues waits holdups objects spans within marks
    snapshot profile samples machine origin loops stacks loss end lastEvent eventCount
    """,
    "TraceOrigin": "isCore hasMoved isTimed since watched leftOut",
    "Values": "addingSince finishSeen cancelRequested error completion processorTime",
    "WaitRecord": "target thread inside began ended lastSignal endSignal at",
  ].mapValues { Set($0.split { $0.isWhitespace }.map(String.init)) }

  /// `name value` of each property besides those that is there: not nil, not empty, not 0 and not false.
  static func lines<Value>(of value: Value) -> [String] {
    let type = "\(Value.self)"
    guard let known = known[type] else {
      Issue.record("`UnsaidValues.known` has no line for \(type)")
      return []
    }
    let properties = Mirror(reflecting: value).children
    let gone = known.subtracting(properties.compactMap(\.label))
    if !gone.isEmpty { Issue.record("\(type) has no \(gone.sorted()) any more: take it from `UnsaidValues.known`") }
    return properties.compactMap { child in
      guard let name = child.label, !known.contains(name), let words = words(child.value) else { return nil }
      return "\(name) \(words)"
    }
  }

  /// Nil: nothing is there.
  private static func words(_ value: Any) -> String? {
    let mirror = Mirror(reflecting: value)
    switch value {
    case let stamp as CompactStamp: return stamp.stamp.flatMap { words($0) }
    case let time as CompactTime: return time.time.map { "\($0)" }
    case let stamp as Stamp: return "\(stamp.time)@t\(stamp.thread.rawValue)"
    case let text as String: return text.isEmpty ? nil : "\"\(text)\""
    case let flag as Bool: return flag ? "true" : nil
    case let number as any BinaryInteger: return "\(number)" == "0" ? nil : "\(number)"
    default: break
    }
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { words($0.value) ?? "\($0.value)" }
    case .collection, .set, .dictionary:
      return mirror.children.isEmpty
        ? nil : "[" + mirror.children.map { words($0.value) ?? "-" }.joined(separator: ", ") + "]"
    case .struct, .class, .tuple:
      if let named = value as? any CustomStringConvertible { return named.description }
      let parts = mirror.children.compactMap { child in words(child.value).map { "\(child.label ?? "") \($0)" } }
      return parts.isEmpty ? nil : "(" + parts.joined(separator: ", ") + ")"
    default: return "\(value)"
    }
  }
}
