import OpTraceFormat

/// Calls that add to a queue and were told of because they lasted: which of them have not returned.
///
/// Another thread tells of such a call, so the record of its beginning may come a moment after that of its end.
struct AddingCalls {
  private struct Call: Hashable {
    var thread: UInt32
    /// The queue's address and the kind, as in the records.
    var object: UInt64
  }

  private var open: [Call: (operation: OperationID, since: Stamp)] = [:]
  private var endedEarly: [Call: Nanoseconds] = [:]

  /// Whether the record is about one.
  static func isOne(_ record: BlockingRecord) -> Bool { record.fields.kind == WaitedObject.adding.rawValue }

  mutating func began(_ record: BlockingRecord, _ at: Stamp) {
    let thread = record.fields.thread == 0 ? at.thread : ThreadID(record.fields.thread)
    let call = Call(thread: thread.rawValue, object: record.fields.object)
    if let ended = endedEarly.removeValue(forKey: call), ended >= record.since { return }
    open[call] = (OperationID(record.operation), Stamp(record.since, thread))
  }

  mutating func ended(_ record: BlockingRecord, _ at: Stamp) {
    let call = Call(thread: at.thread.rawValue, object: record.fields.object)
    if open.removeValue(forKey: call) == nil { endedEarly[call] = at.time }
  }

  /// Forgets ends without a beginning from before `time`.
  mutating func forget(before time: Nanoseconds) { endedEarly = endedEarly.filter { $0.value >= time } }

  /// Those that go on at the end, with the operation that is added, of several the first.
  var unreturned: [(operation: OperationID, since: Stamp)] { Array(open.values) }
}
