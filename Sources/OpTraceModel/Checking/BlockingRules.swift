import OpTraceFormat

/// The rules of `blocked`, `unblocked` and `signalled`: what ends has begun, and a signal comes right after its wait.
///
/// Another thread may write the begin of a wait (`blocked`) a moment after the record of its end, so ends are checked
/// only after all events were seen.
struct BlockingRules {
  private struct Wait: Hashable {
    var thread: UInt32
    /// Address and kind.
    var object: UInt64
  }

  typealias End = (event: TraceEvent, index: Int)

  private var open: Set<Wait> = []
  private var endedEarly: [Wait: End] = [:]
  private var unmatched: [End] = []
  /// The object of the last record on each thread, until the signal for it was seen.
  private var last: [UInt32: UInt64] = [:]

  typealias Problem = (rule: Violation.Rule, text: String)

  /// `hasBegun` tells whether the event's operation has started. After that its code may be on any thread: even the
  /// handler of a timer that the operation made counts as its code.
  mutating func check(_ kind: EventKind, _ event: TraceEvent, _ index: Int, hasBegun: () -> Bool) -> Problem? {
    let record = BlockingRecord(event)
    let object = record.fields.object
    switch kind {
    case .blocked:
      last[event.thread.rawValue] = object
      let wait = Wait(thread: record.fields.thread == 0 ? event.thread.rawValue : record.fields.thread, object: object)
      if let end = endedEarly[wait], end.event.time >= record.since {
        endedEarly[wait] = nil
        return nil
      }
      open.insert(wait)
      // Adding an operation may block any thread.
      return record.fields.kind == WaitedObject.adding.rawValue || hasBegun()
        ? nil : (.notExecuting, "blocks thread t\(wait.thread) before it has started")
    case .unblocked:
      last[event.thread.rawValue] = object
      let wait = Wait(thread: event.thread.rawValue, object: object)
      if open.remove(wait) == nil {
        if let before = endedEarly.updateValue((event, index), forKey: wait) { unmatched.append(before) }
      }
    case .signalled:
      if last.removeValue(forKey: event.thread.rawValue) != object {
        return (.missingBefore, "`signalled` does not come right after `blocked` or `unblocked` of its object")
      }
    default: break
    }
    return nil
  }

  /// Ends without a begin.
  var unmatchedEnds: [End] { unmatched + endedEarly.values }
}
