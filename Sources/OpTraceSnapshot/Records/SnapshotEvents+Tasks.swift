import OpTraceFormat
import OpTraceModel

extension SnapshotWriter {
  /// Who created a task is only known of children: whose they are.
  mutating func write(_ found: FoundTasks) {
    let tasks = found.tasks.values.sorted { $0.address < $1.address }
    number(tasks.map(\.address))
    for (index, one) in tasks.enumerated() {
      create(one)
      if one.isCancelled { events.append(.cancelRequested, of: works[one.address] ?? 0, at: 0, by: writer) }
      lead(one, since: Nanoseconds(index * 2 + 1))
    }
  }

  private mutating func create(_ one: FoundTask) {
    let how: UInt8 = one.isLet ? 3 : one.isInGroup ? 2 : 0
    let turn = turn(of: one)
    events.append(
      EventFields.TaskCreated(
        by: one.parent.flatMap { works[$0] } ?? 0, how: how, priority: one.priority,
        enqueued: one.isNew && turn == .pool || one.isNew && turn == .main, main: one.isNew && turn == .main,
        code: code(of: one) ?? 0, at: 0), of: works[one.address] ?? 0, at: 0, by: writer)
  }

  /// What it runs: of one that waits, the outermost functions of its stack; of one that runs, what the runtime has called.
  private mutating func code(of one: FoundTask) -> UInt32? {
    if !one.code.isEmpty { return frames.stack(one.code, &events) }
    if let (thread, frame) = runner(of: one.address), frame > 0 {
      return frames.call(thread.addresses[frame - 1], &events)
    }
    return frames.stack(one.functions.suffix(4).reversed(), &events)
  }

  /// - Parameter since: a time of its own, as if one task after another had run on one thread.
  private mutating func lead(_ one: FoundTask, since: Nanoseconds) {
    let number = works[one.address] ?? 0
    if one.isRunning {
      let thread = runner(of: one.address).flatMap { threads[$0.thread.state.id] } ?? writer
      return events.append(.taskRun, of: number, at: since, by: thread)
    }
    let turn = turn(of: one)
    if !one.isNew {
      events.append(.taskRun, of: number, at: since, by: writer)
      var awaited: UInt32 = 0
      if case .task(let other) = one.wait { awaited = works[other] ?? 0 }
      events.append(
        EventFields.TaskSuspended(
          reason: (snapshot.roles.sleeping.contains(one.address) ? .sleep : one.wait.reason).rawValue, for: awaited),
        of: number, at: since + 1, by: writer)
      if let place = frames.stack(one.functions, &events) {
        events.append(.stoodAt, of: place, at: since + 1, by: writer)
      }
    }
    switch turn {
    case .actor(let address, let name):
      events.append(
        EventFields.TaskQueued(
          actor: actorNumbers[address] ?? 0, class: events.intern(name) ?? 0, by: 0),
        of: number, at: max(moment, since + 1), by: writer)
    case .pool, .main:
      if !one.isNew {
        events.append(
          EventFields.TaskEnqueued(by: 0, main: turn == .main), of: number, at: max(moment, since + 1), by: writer)
      }
    case nil: break
    }
  }

  private enum Turn: Equatable {
    case pool, main
    case actor(UInt64, String)
  }

  /// Whose turn it waits for; nil: it cannot go on, or runs.
  private func turn(of one: FoundTask) -> Turn? {
    guard !one.isRunning else { return nil }
    guard case .executor(let executor) = one.wait else { return one.isEnqueued ? .pool : nil }
    if executor == 0 { return .pool }
    guard let actor = snapshot.objects.actors[executor] else {
      // Of an executor of its own nobody knows what it needs: not the pool, for sure.
      let isMain =
        snapshot.objects.mainExecutors.contains(executor)
        || snapshot.objects.dispatch?.queues[executor]?.kind == .mainQueue
      return isMain ? .main : nil
    }
    return actor.isMain ? .main : .actor(executor, actor.name)
  }
}

extension FoundTask.Wait? {
  fileprivate var reason: TaskRecord.Reason {
    switch self {
    case .task: .task
    case .continuation: .continuation
    case .group: .group
    case .executor: .executor
    case nil: .unknown
    }
  }
}
