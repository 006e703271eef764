import OpTraceFormat

/// Assembles orders. A flight recorder may have records of an order twice, or without the one that they belong to.
struct Orders {
  private var orders: [Int: OrderRecord] = [:]
  private var sightings: [Int: [OrderRecord.Sighting]] = [:]
  /// In the trace's order.
  private var handovers: [HandoverRecord] = []
  private var known: [Handover: Int] = [:]
  private(set) var loss: OrderLoss?
  private var starts: [ThreadStart] = []

  private struct Handover: Hashable {
    var at: UInt32
    var signalledAt: UInt32
    var kind: UInt8
    var isTimed: Bool
    var isLock: Bool
  }

  mutating func add(_ fields: EventFields.Order) {
    guard fields.number != 0, let kind = HeldKind(rawValue: fields.kind) else { return }
    let number = Int(fields.number)
    var order = OrderRecord(
      id: number, outer: fields.outer == 0 ? nil : Int(fields.outer),
      wanted: .init(kind: kind, address: fields.object, number: fields.of))
    (order.isReader, order.isTry, order.isTimed, order.isKept) = (fields.reader, fields.try, fields.timed, fields.kept)
    orders[number] = order
  }

  mutating func add(_ fields: EventFields.Ordered, by work: WorkID?, _ at: Stamp) {
    let sighting = OrderRecord.Sighting(
      work: work, thread: ThreadID(fields.thread),
      time: TimeBounds.clamp(at.time &- Nanoseconds(fields.age) &* Nanoseconds(Layout.ageUnit)),
      at: FrameID(orNone: fields.at))
    let known = sightings[Int(fields.number)] ?? []
    guard
      !known.contains(where: { $0.work == sighting.work && $0.thread == sighting.thread && $0.time == sighting.time })
    else { return }
    sightings[Int(fields.number)] = known + [sighting]
  }

  mutating func add(_ fields: EventFields.Handover, by work: WorkID?, _ at: Stamp) {
    guard let kind = HeldKind(rawValue: fields.kind) else { return }
    let key = Handover(
      at: fields.at, signalledAt: fields.signalledAt, kind: fields.kind, isTimed: fields.timed,
      isLock: fields.lock)
    let count = Int(fields.count)
    if let index = known[key] {
      handovers[index].count = max(handovers[index].count, count)
      return
    }
    known[key] = handovers.count
    handovers.append(
      HandoverRecord(
        kind: kind, waitedAt: FrameID(orNone: fields.at), signalledAt: FrameID(orNone: fields.signalledAt),
        waiter: work, signaller: fields.by == 0 ? nil : WorkID(fields.by), hadToWait: fields.waited,
        isTimed: fields.timed, isLock: fields.lock, count: count, time: at.time))
  }

  mutating func add(_ fields: EventFields.ThreadBegun, _ thread: UInt32, _ at: Stamp) {
    let start = ThreadStart(
      thread: ThreadID(thread), from: fields.from == 0 ? nil : ThreadID(fields.from),
      work: fields.by == 0 ? nil : WorkID(fields.by),
      time: TimeBounds.clamp(at.time &- Nanoseconds(fields.age) &* Nanoseconds(Layout.ageUnit)), isJoin: fields.joined)
    if !starts.contains(start) { starts.append(start) }
  }

  mutating func add(_ fields: EventFields.Orders) {
    loss = OrderLoss(lost: fields.lost, deep: fields.deep, alike: fields.alike, moved: fields.moved)
  }

  /// The orders sorted by number, the rest by time. O(n log n).
  func finish() -> (
    orders: [OrderRecord], handovers: [HandoverRecord], starts: [ThreadStart], loss: OrderLoss?
  ) {
    var sorted = orders.values.sorted { $0.id < $1.id }
    for index in sorted.indices {
      sorted[index].sightings = (sightings[sorted[index].id] ?? []).sorted {
        ($0.time, $0.thread) < ($1.time, $1.thread)
      }
    }
    let times = handovers.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    return (sorted, times.map(\.element), starts.sorted { ($0.time, $0.thread) < ($1.time, $1.thread) }, loss)
  }
}
