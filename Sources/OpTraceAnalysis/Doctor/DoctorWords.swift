import OpTraceModel

extension String {
  /// For the middle of a sentence.
  var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  /// For its beginning.
  var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension TaskRecord.Reason {
  /// For people, after "waits for".
  var phrase: String {
    switch self {
    case .unknown: "something"
    case .task: "another task"
    case .continuation: "a continuation to be resumed"
    case .group: "a child of its group"
    case .executor: "an actor or executor"
    case .sleep: "a time"
    }
  }
}

/// How findings name things.
extension DoctorContext {
  /// `'Load profile' (#3)`, `block 'closure #1 in load()' (#4)`.
  func name(_ id: WorkID) -> String {
    if let operation = operation(id) { return "'\(Self.shown(operation.title))' (\(id))" }
    if let block = trace.block(id) { return "block '\(Self.shown(block.title))' (\(id))" }
    if let task = trace.task(id) { return "task '\(Self.shown(task.title))' (\(id))" }
    return "'operation' (\(id))"
  }
  func name(_ place: Int) -> String { name(trace.operations[place].id) }

  /// `queue 'network'`.
  func name(_ id: QueueID) -> String { queue(id)?.phrase(quoting: Self.shown) ?? id.description }
  func queueName(_ place: Int) -> String { trace.queues[place].phrase(quoting: Self.shown) }

  /// `dispatch queue 'disk.io'`.
  func name(_ queue: DispatchQueueRecord) -> String {
    if queue.isMain { return "the main queue" }
    return queue.title == queue.label ? "dispatch queue '\(Self.shown(queue.label))'" : queue.title
  }

  func name(_ id: ThreadID) -> String {
    guard let thread = thread(id) else { return id.description }
    if thread.isMain { return "the main thread" }
    return thread.name.isEmpty ? "thread \(thread.systemID)" : "thread \(thread.systemID) '\(Self.shown(thread.name))'"
  }

  /// Names may be of any length; a sentence with one has to stay readable.
  static func shown(_ name: String) -> String { NameCut.inside(name, 80) }

  /// `'A' (#1), 'B' (#2) and 5 more`.
  func list(_ ids: [OperationID], most: Int = 3) -> String {
    Self.list(ids.prefix(most).map(name) + (ids.count > most ? ["\(ids.count - most) more"] : []))
  }

  static func list(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  /// `3 operations`.
  static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }

  /// What a wait waits for.
  func target(of wait: WaitRecord) -> String {
    switch wait.target {
    case .operation(let id): name(id)
    case .queue(let id): "\(name(id)) to be empty"
    case .object(let id): trace.object(id)?.title ?? id.description
    }
  }

  /// How work stops holding a thread: what to do with the class, for the beginning of a sentence. A block has no class of
  /// its own that could be changed.
  static func asAsynchronous(_ operation: OperationRecord) -> String {
    let isBlock = ["BlockOperation", "TracedBlockOperation"].contains(operation.className)
    return isBlock
      ? "Make an asynchronous operation of this block, with a class of its own"
      : "Make \(operation.className) asynchronous"
  }

  /// What that means, for the sentence's end.
  static let whatAsynchronousMeans =
    "begin the work, return, and turn isFinished true where it ends (TracedAsyncOperation does this with finish(), if "
    + "you link OpTrace)"

  /// Since when, and how long until the end.
  func since(_ time: Nanoseconds) -> String { "for \(DurationText.text(max(0, end - time)))" }

  /// `limit 1`, `no limit`.
  static func limit(_ limit: Int) -> String { limit < 0 ? "no limit" : "limit \(limit)" }
}
