import OpTraceKernel
package import OpTraceModel

/// What the rules about misuse and slowness share.
extension DoctorContext {
  /// Whether an event of a finished operation that the trace does not show did not happen. False for a flight recorder
  /// that has overwritten records; `proven(_:)` handles other losses.
  package var forgetsNothing: Bool { trace.loss.overwrittenBytes == 0 }

  /// Whether one moment is before another, whatever the threads: the clocks of two threads may differ a little.
  package static func isBefore(_ first: Nanoseconds, _ second: Nanoseconds) -> Bool {
    first < second && second - first > TraceBuilder.tolerance
  }

  /// The same for moments with their threads: records of one thread are in order.
  package static func isBefore(_ first: Stamp, _ second: Stamp) -> Bool {
    first.thread == second.thread ? first.time <= second.time : isBefore(first.time, second.time)
  }

  /// From the first enqueueing or start to the last finish.
  package var wall: Nanoseconds { activity.map { $0.upperBound - $0.lowerBound } ?? 0 }

  /// `34 %`; 0 % if the whole is 0.
  package static func percent(_ part: Nanoseconds, of whole: Nanoseconds) -> String {
    whole > 0 ? "\(Int((100 * Double(part) / Double(whole)).rounded())) %" : "0 %"
  }

  /// Whether it is certain that an operation's own code still ran some time after this moment: its end was recorded
  /// later, or not at all although the trace goes on. (The end is recorded before anything can react to it.) A class
  /// that does not report its end proves nothing.
  package func works(_ operation: OperationRecord, after time: Nanoseconds) -> Bool {
    guard operation.executionBegan != nil else { return false }
    // An asynchronous class may report its end late: its thread may lose the processor just before that.
    let isElsewhere = operation.isAsynchronous && (operation.startReturned?.time ?? .max) <= time
    let sure = isElsewhere ? time.saturating(10_000_000) : time
    if let ended = operation.executionEnded { return Self.isBefore(sure, ended.time) }
    return operation.finished == nil && operation.finishSeen == nil && (!isElsewhere || end >= sure)
  }

  /// What one finding is about: the operations of one class in one queue, or of one function for classes that run a
  /// closure.
  package struct Pattern: Hashable {
    var kind: String
    var queue: QueueID?

    package init(_ operation: OperationRecord) {
      kind = operation.kind
      queue = operation.queue
    }
  }

  /// Cases with the same key, in the order in which each key first appears.
  package static func groups<Case, Key: Hashable>(_ cases: [Case], by key: (Case) -> Key) -> [[Case]] {
    var indexes: [Key: Int] = [:]
    var result: [[Case]] = []
    for one in cases {
      let key = key(one)
      if let index = indexes[key] {
        result[index].append(one)
      } else {
        indexes[key] = result.count
        result.append([one])
      }
    }
    return result
  }

  /// `'Load' (#3)` for one, `5 operations of class Load in queue 'network'` for more.
  package func those(_ operations: [OperationRecord]) -> String {
    guard let first = operations.first else { return "no operation" }
    if operations.count == 1 { return name(first.id) }
    let queue = first.queue.map { " in \(name($0))" } ?? ""
    let kind = first.function.map { "that run \(Self.shown($0.shortName))" } ?? "of class \(first.className)"
    return "\(Self.count(operations.count, "operation")) \(kind)\(queue)"
  }
}

/// Tells whose code an operation runs. Code that the user cannot change gets no finding.
extension DoctorContext {
  /// The modules of Foundation and of the layers below it.
  private static let systemModules: Set = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
    "Dispatch", "Swift",
  ]
  /// Classes that run what their creator gives them.
  private static let plainClasses: Set = ["Operation", "BlockOperation"]

  /// Whether the program decides what the operation does: by the module of its class, or for a block by the module of
  /// its function. (A URL session adds blocks of its own to its delegate's queue.) O(1).
  package func isOwn(_ operation: OperationRecord) -> Bool {
    guard let module = operation.classModule, Self.systemModules.contains(module) else { return true }
    guard Self.plainClasses.contains(operation.className) else { return false }
    return !(operation.function?.module.map(Self.systemModules.contains) ?? false)
  }
}
