import OpTraceFormat

/// Puts tasks together from their records. What is missing stays nil.
struct Tasks {
  private(set) var all: [TaskRecord] = []
  private var places: PlaceTable

  init(expectedEvents: Int) { places = PlaceTable(denseLimit: expectedEvents * 2 + 1024) }

  /// Nil: no record has told of a task with this number.
  func place(of id: UInt32) -> Int? { places[id] }

  func id(at place: Int) -> WorkID { all[place].id }

  func isOver(_ place: Int) -> Bool { all[place].over != nil }

  /// The place of the task that the record is about.
  mutating func add(_ kind: EventKind, _ event: TraceEvent, _ at: Stamp) -> Int {
    let place = known(event.subject)
    switch kind {
    case .taskCreated: create(place, event, at)
    case .taskEnqueued: enqueue(place, event, at)
    case .taskRun:
      if let last = all[place].suspensions.indices.last, all[place].suspensions[last].to == nil {
        all[place].suspensions[last].to = at.time
      }
      all[place].runs.append(WorkRun(thread: at.thread, began: at.time, ended: nil))
    case .taskSuspended:
      endRun(place, at)
      let fields = EventFields.TaskSuspended(event)
      all[place].suspensions.append(
        .init(
          reason: .init(rawValue: fields.reason) ?? .unknown, from: at,
          awaited: fields.for == 0 ? nil : WorkID(fields.for)))
    case .taskCompleted:
      endRun(place, at)
      if all[place].completed == nil { all[place].completed = at.time }
    default: break
    }
    return place
  }

  mutating func cancelled(_ place: Int, _ at: Stamp) {
    if all[place].cancelRequested == nil { all[place].cancelRequested = at.time }
  }

  mutating func named(_ place: Int, _ name: String) { all[place].name = name }

  /// Where the task was suspended last.
  mutating func stood(at frame: FrameID, _ id: UInt32) {
    guard let place = places[id], let last = all[place].suspensions.indices.last else { return }
    all[place].suspensions[last].at = frame
  }

  /// One that has begun again elsewhere has ended before, though its record comes later.
  private mutating func endRun(_ place: Int, _ at: Stamp) {
    guard let run = all[place].runs.lastIndex(where: { $0.thread == at.thread && $0.ended == nil }) else { return }
    all[place].runs[run].ended = at.time
  }

  private mutating func enqueue(_ place: Int, _ event: TraceEvent, _ at: Stamp) {
    let by = EventFields.TaskEnqueued(event).by
    if let last = all[place].suspensions.indices.last {
      guard all[place].suspensions[last].to == nil, all[place].suspensions[last].enqueued == nil else { return }
      all[place].suspensions[last].enqueued = at
      all[place].suspensions[last].resumer = by == 0 ? nil : WorkID(by)
    } else if all[place].runs.isEmpty {
      all[place].enqueued = at
    }
  }

  private mutating func create(_ place: Int, _ event: TraceEvent, _ at: Stamp) {
    guard all[place].submitted == nil else { return }
    let fields = EventFields.TaskCreated(event)
    all[place].submitted = at
    // One that an actor ran at once was there before this was written.
    if let began = all[place].runs.first?.began, began < at.time { all[place].submitted?.time = began }
    all[place].submitter = fields.by == 0 ? nil : WorkID(fields.by)
    all[place].way = TaskRecord.Way(rawValue: fields.how) ?? .unstructured
    all[place].priority = fields.priority
    if fields.enqueued { all[place].enqueued = at }
    all[place].code = FrameID(orNone: fields.code)
    all[place].submittedAt = FrameID(orNone: fields.at)
  }

  private mutating func known(_ id: UInt32) -> Int {
    if let place = places[id] { return place }
    places[id] = all.count
    all.append(TaskRecord(id: WorkID(id)))
    return all.count - 1
  }

  /// Forgets those that are over, and of the others what was long ago. The result: their new places by the old ones, and the
  /// numbers that are gone.
  mutating func forget() -> (places: [Int?], gone: [UInt32]) {
    let moved = all.forget { $0.over != nil }
    for id in moved.gone { places[id] = nil }
    for place in all.indices {
      places[all[place].id.rawValue] = place
      all[place].runs.removeFirst(max(0, all[place].runs.count - Self.kept))
      all[place].suspensions.removeFirst(max(0, all[place].suspensions.count - Self.kept))
    }
    return moved
  }

  /// Runs and suspensions of a task that goes on.
  private static let kept = 8

  /// Sorted by id. A run that another one followed is over; how long it was is not known where its end is missing.
  mutating func finish() -> [TaskRecord] {
    for place in all.indices {
      for run in all[place].runs.indices.dropLast() where all[place].runs[run].ended == nil {
        all[place].runs[run].ended = all[place].runs[run].began
      }
    }
    return all.sorted { $0.id < $1.id }
  }
}
