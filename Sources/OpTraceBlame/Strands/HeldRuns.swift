import OpTraceKernel
import OpTraceModel

/// Who had what only some can have at a time: the slots or the turn of a queue, an actor.
struct HeldRuns<Key: Hashable> {
  private struct Run {
    var began: Nanoseconds
    var ended: Nanoseconds
    /// The latest end of this one and all before it.
    var latest: Nanoseconds = 0
    var work: Int
  }

  private var runs: [Key: [Run]] = [:]

  mutating func add(_ key: Key, _ began: Nanoseconds, _ ended: Nanoseconds, _ work: Int) {
    runs[key, default: []].append(Run(began: began, ended: ended, work: work))
  }

  /// Makes it ready to be asked. O(n log n).
  mutating func settle() {
    runs = runs.mapValues { runs in
      var sorted = runs.sorted { ($0.began, $0.work) < ($1.began, $1.work) }
      var latest = Nanoseconds.min
      for index in sorted.indices {
        latest = max(latest, sorted[index].ended)
        sorted[index].latest = latest
      }
      return sorted
    }
  }

  /// Who began to have it at a time; nil: nobody. O(log n).
  func next(on key: Key, at time: Nanoseconds) -> Int? {
    guard let all = runs[key] else { return nil }
    let index = all.firstSorted { $0.began >= time }
    return index < all.count && all[index].began == time ? all[index].work : nil
  }

  /// More than this never hold a thing that is scarce; a damaged trace may say so.
  private static var mostHolders: Int { 64 }

  /// Who had one of these in a stretch, other than `except`: pieces in the order of time that cover all of it. O(log n + result) for each
  /// key, if what is had together is not had for much longer than the stretch.
  func pieces(
    of keys: some Sequence<Key>, except: Int, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [(began: Nanoseconds, ended: Nanoseconds, work: [Int])] {
    guard to > from else { return [] }
    var inside: [Run] = []
    for key in keys {
      guard let all = runs[key] else { continue }
      inside += all[all.firstSorted { $0.latest > from }...].prefix { $0.began < to }
        .filter { $0.ended > from && $0.work != except }
    }
    inside.sort { ($0.began, $0.work) < ($1.began, $1.work) }
    var times: Set = [from, to]
    for run in inside { times.formUnion([run.began, run.ended].filter { $0 > from && $0 < to }) }
    let borders = times.sorted()
    var found: [(began: Nanoseconds, ended: Nanoseconds, work: [Int])] = []
    var next = 0
    var open: [Run] = []
    for (began, ended) in zip(borders, borders.dropFirst()) {
      open.removeAll { $0.ended <= began }
      while next < inside.count, inside[next].began <= began {
        if open.count < Self.mostHolders { open.append(inside[next]) }
        next += 1
      }
      found.append((began, ended, open.map(\.work)))
    }
    return found
  }
}

extension HeldRuns<SchedulerID> {
  /// What ran on each queue. O(n log n) for n operations and blocks.
  init(ofQueuesIn trace: Trace) {
    for kind in [WorkKind.operation, .block] {
      for index in kind.indexes(in: trace) {
        switch trace.row(ofWorkAt: index) {
        case .operation(let row): add(trace.operations[row], index, trace.end)
        case .block(let row): add(trace.blocks[row], index, trace.end)
        case .task: break
        }
      }
    }
    settle()
  }

  private mutating func add(_ work: some Work, _ index: Int, _ end: Nanoseconds) {
    guard let queue = work.scheduler, let began = work.began?.time else { return }
    add(queue, began, work.over ?? end, index)
  }
}

extension HeldRuns<TaskRecord.WaitedActor> {
  /// What ran on each actor, of tasks that had waited for it. O(n log n) for n suspensions.
  init(ofActorsIn trace: Trace) {
    for index in WorkKind.task.indexes(in: trace) {
      guard case .task(let row) = trace.row(ofWorkAt: index) else { continue }
      trace.tasks.withUnsafeBufferPointer { tasks in
        for wait in tasks[row].actorWaits {
          guard let began = wait.began, let run = tasks[row].run(at: began) else { continue }
          add(wait.actor, max(run.began, began), run.ended ?? trace.end, index)
        }
      }
    }
    settle()
  }
}

extension HeldRuns<ThreadID> {
  /// What ran on the main actor, of tasks that had waited for it, by thread. In a program with an asynchronous `main` the main thread ends at
  /// once on Linux, and libdispatch runs its queue on any thread. O(n log n) for n suspensions.
  init(ofMainActorIn trace: Trace) {
    for index in WorkKind.task.indexes(in: trace) {
      guard case .task(let row) = trace.row(ofWorkAt: index) else { continue }
      trace.tasks.withUnsafeBufferPointer { tasks in
        var turns = tasks[row].suspensions.filter(\.isForMain).compactMap(\.to)
        if tasks[row].isForMain, let first = tasks[row].runs.first { turns.append(first.began) }
        for turn in turns {
          guard let run = tasks[row].run(at: turn) else { continue }
          add(run.thread, max(run.began, turn), run.ended ?? trace.end, index)
        }
      }
    }
    settle()
  }

  var keys: Set<ThreadID> { Set(runs.keys) }
}
