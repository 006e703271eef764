import OpTraceFormat

/// Assembles blocks of dispatch queues from their records. Values that are missing stay nil.
struct Blocks {
  private(set) var all: [BlockRecord] = []
  private var rows: [UInt32: Int] = [:]

  /// The row of a block; nil: no record has mentioned it.
  func row(of id: UInt32) -> Int? { rows[id] }

  func id(at row: Int) -> WorkID { all[row].id }

  func isOver(_ row: Int) -> Bool { all[row].over != nil }

  /// Applies a record; returns the row of its block.
  mutating func add(_ kind: EventKind, _ event: TraceEvent, _ at: Stamp) -> Int {
    let row = known(event.subject)
    switch kind {
    case .blockSubmitted: submit(row, event, at)
    case .runBegan: if all[row].began == nil { all[row].began = at }
    case .runEnded: if all[row].ended == nil { all[row].ended = at.time }
    case .blockDropped: if all[row].dropped == nil { all[row].dropped = at.time }
    default: break
    }
    return row
  }

  mutating func cancelled(_ row: Int, _ at: Stamp) {
    if all[row].cancelRequested == nil { all[row].cancelRequested = at.time }
  }

  private mutating func submit(_ row: Int, _ event: TraceEvent, _ at: Stamp) {
    guard all[row].submitted == nil else { return }
    let fields = EventFields.BlockSubmitted(event)
    all[row].submitted = at
    all[row].submitter = fields.by == 0 ? nil : WorkID(fields.by)
    all[row].queue = fields.queue == 0 ? nil : DispatchQueueID(fields.queue)
    all[row].way = BlockRecord.Way(rawValue: fields.how) ?? .async
    all[row].isInGroup = fields.group
    all[row].isItem = fields.item
    all[row].isBarrier = fields.alone || all[row].way == .barrier
    all[row].code = FrameID(orNone: fields.code)
    all[row].submittedAt = FrameID(orNone: fields.at)
  }

  private mutating func known(_ id: UInt32) -> Int {
    if let row = rows[id] { return row }
    rows[id] = all.count
    all.append(BlockRecord(id: WorkID(id)))
    return all.count - 1
  }

  /// Forgets blocks that were over before `time`, with exceptions. Returns the new rows of the others by their old
  /// ones, and the numbers of the forgotten ones.
  mutating func forget(before time: Nanoseconds, except kept: Set<WorkID>) -> (rows: [Int?], gone: [UInt32]) {
    let moved = all.forget { block in
      guard let over = block.over else { return false }
      return over < time && !kept.contains(block.id)
    }
    rows = Dictionary(uniqueKeysWithValues: all.indices.map { (all[$0].id.rawValue, $0) })
    return moved
  }

  /// Sorted by id.
  func finish() -> [BlockRecord] { all.sorted(by: \.id) }
}
