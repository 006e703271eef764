import OpTraceFormat

/// A `blocked`, `unblocked` or `signalled` record, taken apart.
struct BlockingRecord {
  static let addressMask: UInt64 = (1 << 48) - 1

  var operation: UInt32
  var address: UInt64
  var kind: UInt8
  /// When the wait began, or the signal came.
  var since: Nanoseconds
  /// The thread that it names; 0: none.
  var thread: UInt32

  init(_ event: TraceEvent) {
    operation = event.subject
    address = event.word1 & Self.addressMask
    kind = UInt8(truncatingIfNeeded: event.word1 >> 48)
    since = event.time
    thread = 0
    // An `unblocked` record has two words.
    if let known = EventKind(rawValue: event.kind), known != .unblocked {
      since = ClockMap.clamp(event.time &- Age.nanoseconds(event.word2, of: known))
      thread = UInt32(truncatingIfNeeded: event.word2 >> 40)
    }
  }
}

/// Puts waits on semaphores, groups, dispatch queues and conditions together from their records.
///
/// A thread tells of its wait when it is over, or another one does while it lasts: then the record of the beginning may
/// come a moment after that of the end. Where an end is missing, the wait is over with the next sign that it must be: code
/// that returns does not wait, and no thread waits twice on one object.
struct BlockingWaits {
  private(set) var waits: [WaitRecord] = []
  private(set) var objects: [ObjectRecord] = []

  private struct ObjectKey: Hashable {
    var address: UInt64
    var kind: UInt8
  }
  private struct WaitKey: Hashable {
    var thread: UInt32
    var object: ObjectKey
  }
  /// What the record that a thread wrote last is about: a signal behind it belongs to that.
  private struct Last {
    var object: ObjectKey
    /// Its place in ``waits``; nil: the end of a wait whose beginning was not seen.
    var wait: Int?
    var isOver: Bool
  }

  private var places: [ObjectKey: Int] = [:]
  private var names: [UInt64: String] = [:]
  /// The places of waits that are not over, by the thread that waits; few.
  private var open: [UInt32: [(key: WaitKey, wait: Int)]] = [:]
  /// Ends without a beginning.
  private var endedEarly: [WaitKey: Nanoseconds] = [:]
  private var last: [UInt32: Last] = [:]

  mutating func blocked(_ record: BlockingRecord, _ at: Stamp) {
    let thread = record.thread == 0 ? at.thread : ThreadID(record.thread)
    let key = WaitKey(thread: thread.rawValue, object: ObjectKey(address: record.address, kind: record.kind))
    end(key, record.since)
    var wait = WaitRecord(
      target: .object(object(key.object)), thread: thread, inside: OperationID(record.operation), began: record.since)
    if let ended = endedEarly.removeValue(forKey: key), ended >= record.since { wait.ended = ended }
    if wait.ended == nil { open[key.thread, default: []].append((key, waits.count)) }
    // A thread that tells of its own wait waits no more.
    last[at.thread.rawValue] = Last(
      object: key.object, wait: waits.count, isOver: thread == at.thread || wait.ended != nil)
    waits.append(wait)
  }

  mutating func unblocked(_ record: BlockingRecord, _ at: Stamp) {
    let object = ObjectKey(address: record.address, kind: record.kind)
    let key = WaitKey(thread: at.thread.rawValue, object: object)
    let wait = end(key, at.time)
    if wait == nil { endedEarly[key] = at.time }
    last[at.thread.rawValue] = Last(object: object, wait: wait, isOver: true)
  }

  mutating func signalled(_ record: BlockingRecord, _ at: Stamp) {
    let object = ObjectKey(address: record.address, kind: record.kind)
    guard let last = last.removeValue(forKey: at.thread.rawValue), last.object == object, let place = last.wait else {
      return
    }
    let signal = WaitRecord.Signal(
      time: record.since, thread: record.thread == 0 ? nil : ThreadID(record.thread),
      operation: record.operation == 0 ? nil : OperationID(record.operation))
    // One from before the wait did not end it, and one that came while the thread waited on may have been for another.
    if last.isOver, signal.time >= waits[place].began {
      waits[place].endSignal = signal
    } else {
      waits[place].lastSignal = signal
    }
  }

  /// Code of this operation has returned on a thread, so it waits no more there.
  mutating func returned(_ operation: OperationID, _ at: Stamp) {
    guard let waiting = open[at.thread.rawValue] else { return }
    for entry in waiting where waits[entry.wait].inside == operation { end(entry.key, at.time) }
  }

  mutating func named(address: UInt64, _ name: String) {
    names[address] = name
    let key = ObjectKey(address: address, kind: WaitedObject.queue.rawValue)
    guard let place = places[key] else { return }
    if objects[place].name == nil {
      objects[place].name = name
    } else if objects[place].name != name {
      // Another queue has its address.
      places[key] = nil
    }
  }

  @discardableResult
  private mutating func end(_ key: WaitKey, _ time: Nanoseconds) -> Int? {
    guard let place = open[key.thread]?.lastIndex(where: { $0.key == key }),
      let entry = open[key.thread]?.remove(at: place)
    else { return nil }
    if open[key.thread]?.isEmpty == true { open[key.thread] = nil }
    waits[entry.wait].ended = max(time, waits[entry.wait].began)
    return entry.wait
  }

  private mutating func object(_ key: ObjectKey) -> ObjectID {
    if let place = places[key] { return objects[place].id }
    places[key] = objects.count
    let kind = WaitedObject(rawValue: key.kind)
    let id = ObjectID(UInt32(clamping: objects.count + 1))
    objects.append(
      ObjectRecord(id: id, kind: kind, address: key.address, name: kind == .queue ? names[key.address] : nil))
    return id
  }
}
