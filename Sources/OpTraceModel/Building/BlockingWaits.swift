import OpTraceFormat

/// A decoded `blocked`, `unblocked` or `signalled` record.
struct BlockingRecord {
  let operation: UInt32
  let fields: BlockingFields
  /// When the wait began, or when the signal came.
  let since: Nanoseconds

  init(_ event: TraceEvent) {
    operation = event.subject
    fields = BlockingFields(event.word1, event.word2)
    since = TimeBounds.clamp(event.time &- Nanoseconds(fields.age) &* Nanoseconds(Layout.ageUnit))
  }
}

/// Assembles waits on semaphores, groups, dispatch queues and conditions from their records.
///
/// A thread records its wait when it is over, or another thread records it while it lasts; then the record of the begin
/// may come a moment after that of the end. If an end is missing, the wait ends with the next event that proves it is
/// over: code that returns does not wait, and no thread waits twice on one object.
struct BlockingWaits {
  private(set) var waits: [WaitRecord] = []
  private(set) var objects: [ObjectRecord] = []

  private struct WaitKey: Hashable {
    var thread: UInt32
    /// Address and kind, as in the other tables of objects here.
    var object: UInt64
  }
  /// The wait of a thread's last record: a signal that follows belongs to it.
  private struct Last {
    var object: UInt64
    /// Its index in ``waits``; nil: the end of a wait whose begin was not seen.
    var wait: Int?
    var isOver: Bool
  }

  private var rows: [UInt64: Int] = [:]
  private var names: [UInt64: String] = [:]
  /// The indexes of open waits, by the waiting thread. There are few.
  private var open: [UInt32: [(key: WaitKey, wait: Int)]] = [:]
  /// Ends whose begin has not been seen yet.
  private var endedEarly: [WaitKey: Nanoseconds] = [:]
  private var last: [UInt32: Last] = [:]

  mutating func blocked(_ record: BlockingRecord, _ at: Stamp) {
    let thread = record.fields.thread == 0 ? at.thread : ThreadID(record.fields.thread)
    let key = WaitKey(thread: thread.rawValue, object: record.fields.object)
    end(key, record.since)
    var wait = WaitRecord(
      target: .object(object(record.fields)), thread: thread,
      inside: record.operation == 0 ? nil : OperationID(record.operation), began: record.since)
    if let ended = endedEarly.removeValue(forKey: key), ended >= record.since { wait.ended = ended }
    if wait.ended == nil { open[key.thread, default: []].append((key, waits.count)) }
    // A thread that records its own wait no longer waits.
    last[at.thread.rawValue] = Last(
      object: key.object, wait: waits.count, isOver: thread == at.thread || wait.ended != nil)
    waits.append(wait)
  }

  /// Forgets waits that were over before `time`, and older ends without a begin. If there are many objects, also
  /// forgets those that nobody waits on; they get new numbers when they appear again.
  mutating func forget(before time: Nanoseconds) {
    var moved: [Int: Int] = [:]
    var kept: [WaitRecord] = []
    for (row, wait) in waits.enumerated() where wait.ended ?? .max >= time {
      moved[row] = kept.count
      kept.append(wait)
    }
    waits = kept
    open = open.mapValues { $0.compactMap { entry in moved[entry.wait].map { (key: entry.key, wait: $0) } } }
      .filter { !$0.value.isEmpty }
    last = last.compactMapValues { entry in
      entry.wait.flatMap { moved[$0] }.map { Last(object: entry.object, wait: $0, isOver: entry.isOver) }
    }
    endedEarly = endedEarly.filter { $0.value >= time }
    if objects.count > Self.manyObjects, objects.count > 4 * waits.count { forgetObjects() }
  }

  private static let manyObjects = 4096

  private mutating func forgetObjects() {
    var numbers: [ObjectID: ObjectID] = [:]
    var kept: [ObjectRecord] = []
    for row in waits.indices {
      guard case .object(let old) = waits[row].target else { continue }
      let index = Int(old.rawValue) - 1
      if numbers[old] == nil, objects.indices.contains(index) {
        var object = objects[index]
        object.id = ObjectID(UInt32(clamping: kept.count + 1))
        numbers[old] = object.id
        kept.append(object)
      }
      if let new = numbers[old] { waits[row].target = .object(new) }
    }
    rows = rows.compactMapValues { old in
      numbers[ObjectID(UInt32(clamping: old + 1))].map { Int($0.rawValue) - 1 }
    }
    objects = kept
    let addresses = Set(kept.map(\.address))
    names = names.filter { addresses.contains($0.key) }
  }

  mutating func unblocked(_ record: BlockingRecord, _ at: Stamp) {
    let object = record.fields.object
    let key = WaitKey(thread: at.thread.rawValue, object: object)
    let wait = end(key, at.time)
    if wait == nil { endedEarly[key] = at.time }
    last[at.thread.rawValue] = Last(object: object, wait: wait, isOver: true)
  }

  mutating func signalled(_ record: BlockingRecord, _ at: Stamp) {
    guard let last = last.removeValue(forKey: at.thread.rawValue), last.object == record.fields.object,
      let row = last.wait
    else {
      return
    }
    let signal = WaitRecord.Signal(
      time: record.since, thread: record.fields.thread == 0 ? nil : ThreadID(record.fields.thread),
      operation: record.operation == 0 ? nil : OperationID(record.operation))
    if WaitedObject(rawValue: record.fields.kind)?.isLock == true {
      waits[row].holder = ThreadID(record.fields.thread)
      return
    }
    // A signal from before the wait did not end it, and one that came while the thread went on waiting may have been
    // for another thread.
    if last.isOver, signal.time >= waits[row].began {
      waits[row].endSignal = signal
    } else {
      waits[row].lastSignal = signal
    }
  }

  /// Sets the stack of the wait that the thread recorded last.
  mutating func noteStack(at frame: FrameID, reportedBy thread: ThreadID) {
    if let wait = last[thread.rawValue]?.wait { waits[wait].at = frame }
  }

  /// Notes that code of this operation has returned on a thread, so the thread no longer waits there.
  mutating func returned(_ operation: OperationID, _ at: Stamp) {
    guard let waiting = open[at.thread.rawValue] else { return }
    for entry in waiting where waits[entry.wait].inside == operation { end(entry.key, at.time) }
  }

  mutating func named(address: UInt64, _ name: String) {
    names[address] = name
    for kind in WaitedObject.allCases where kind.hasName {
      let key = EventFields.Unblocked(object: address, kind: kind.rawValue).word1
      guard let row = rows[key] else { continue }
      if objects[row].name == nil {
        objects[row].name = name
      } else if objects[row].name != name {
        // Another queue now has its address, or another file the descriptor.
        rows[key] = nil
      }
    }
  }

  /// What the trace has of them.
  struct Parts {
    /// The waits that some thread's signal ends.
    var waits: [WaitRecord]
    /// Those in system calls and for locks.
    var holdups: [WaitRecord] = []
    var objects: [ObjectRecord]
  }

  /// Separates waits that some thread's signal ends from those in system calls and for locks. The objects of the latter come last, so
  /// that the others have the same numbers with and without them. O(waits).
  func parts() -> Parts {
    let isHoldup = objects.map { $0.kind?.isHoldup == true }
    guard isHoldup.contains(true) else { return Parts(waits: waits, objects: objects) }
    var parts = Parts(waits: [], objects: [])
    var numbers = [ObjectID](repeating: ObjectID(0), count: objects.count)
    for row in objects.indices.filter({ !isHoldup[$0] }) + objects.indices.filter({ isHoldup[$0] }) {
      var object = objects[row]
      object.id = ObjectID(UInt32(clamping: parts.objects.count + 1))
      numbers[row] = object.id
      parts.objects.append(object)
    }
    for var wait in waits {
      guard case .object(let id) = wait.target else { continue }
      let row = Int(id.rawValue) - 1
      wait.target = .object(numbers[row])
      if isHoldup[row] { parts.holdups.append(wait) } else { parts.waits.append(wait) }
    }
    return parts
  }

  @discardableResult
  private mutating func end(_ key: WaitKey, _ time: Nanoseconds) -> Int? {
    guard let row = open[key.thread]?.lastIndex(where: { $0.key == key }),
      let entry = open[key.thread]?.remove(at: row)
    else { return nil }
    if open[key.thread]?.isEmpty == true { open[key.thread] = nil }
    waits[entry.wait].ended = max(time, waits[entry.wait].began)
    return entry.wait
  }

  private mutating func object(_ fields: BlockingFields) -> ObjectID {
    if let row = rows[fields.object] { return objects[row].id }
    rows[fields.object] = objects.count
    let kind = WaitedObject(rawValue: fields.kind)
    let id = ObjectID(UInt32(clamping: objects.count + 1))
    objects.append(
      ObjectRecord(
        id: id, kind: kind, address: fields.address, name: kind?.hasName == true ? names[fields.address] : nil))
    return id
  }
}

/// Calls that add to a queue and took so long that they were recorded; finds those that have not returned.
///
/// Another thread records such a call, so the record of its begin may come a moment after that of its end.
struct AddingCalls {
  private struct Call: Hashable {
    var thread: UInt32
    /// The queue's address and the kind, as in the records.
    var object: UInt64
  }

  private var open: [Call: (operation: OperationID, since: Stamp)] = [:]
  private var endedEarly: [Call: Nanoseconds] = [:]

  /// Whether the record is about such a call.
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

  /// Forgets ends without a begin from before `time`.
  mutating func forget(before time: Nanoseconds) { endedEarly = endedEarly.filter { $0.value >= time } }

  /// Calls that have not returned at the end, with the first operation that they add.
  var unreturned: [(operation: OperationID, since: Stamp)] { Array(open.values) }
}
