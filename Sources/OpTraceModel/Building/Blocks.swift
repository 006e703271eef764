import OpTraceFormat

/// Puts blocks of dispatch queues together from their records. What is missing stays nil.
struct Blocks {
  private(set) var all: [BlockRecord] = []
  private var places: [UInt32: Int] = [:]

  /// Nil: no record has told of a block with this number.
  func place(of id: UInt32) -> Int? { places[id] }

  func id(at place: Int) -> WorkID { all[place].id }

  func isOver(_ place: Int) -> Bool { all[place].over != nil }

  /// The place of the block that the record is about.
  mutating func add(_ kind: EventKind, _ event: TraceEvent, _ at: Stamp) -> Int {
    let place = known(event.subject)
    switch kind {
    case .blockSubmitted: submit(place, event, at)
    case .runBegan: if all[place].began == nil { all[place].began = at }
    case .runEnded: if all[place].ended == nil { all[place].ended = at.time }
    case .blockDropped: if all[place].dropped == nil { all[place].dropped = at.time }
    default: break
    }
    return place
  }

  mutating func cancelled(_ place: Int, _ at: Stamp) {
    if all[place].cancelRequested == nil { all[place].cancelRequested = at.time }
  }

  private mutating func submit(_ place: Int, _ event: TraceEvent, _ at: Stamp) {
    guard all[place].submitted == nil else { return }
    let fields = EventFields.BlockSubmitted(event)
    all[place].submitted = at
    all[place].submitter = fields.by == 0 ? nil : WorkID(fields.by)
    all[place].queue = fields.queue == 0 ? nil : DispatchQueueID(fields.queue)
    all[place].way = BlockRecord.Way(rawValue: fields.how) ?? .async
    all[place].isInGroup = fields.group
    all[place].isItem = fields.item
    all[place].code = FrameID(orNone: fields.code)
    all[place].submittedAt = FrameID(orNone: fields.at)
  }

  private mutating func known(_ id: UInt32) -> Int {
    if let place = places[id] { return place }
    places[id] = all.count
    all.append(BlockRecord(id: WorkID(id)))
    return all.count - 1
  }

  /// Forgets those that are over. The result: the other ones' new places by the old ones, and the numbers that are gone.
  mutating func forget() -> (places: [Int?], gone: [UInt32]) {
    let moved = all.forget { $0.over != nil }
    places = Dictionary(uniqueKeysWithValues: all.indices.map { (all[$0].id.rawValue, $0) })
    return moved
  }

  /// Sorted by id.
  func finish() -> [BlockRecord] { all.sorted { $0.id < $1.id } }
}
