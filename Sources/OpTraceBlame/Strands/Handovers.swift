import OpTraceKernel
import OpTraceModel

/// Things that tasks hand on to each other by continuations, such as the connections of a pool: who had what a task waited for, and from
/// whom those had got it.
struct Handovers {
  private struct Got {
    /// When, and by whom; nil: by a thread that ran no work, which may have had it for code without tasks.
    var time: Nanoseconds
    var from: Int?
  }
  private struct Key: Hashable {
    /// The function in which tasks wait for it.
    var function: Int32
    /// An index among all work.
    var work: Int
  }

  /// When each piece of work handed one on.
  private var given: [Key: [Nanoseconds]] = [:]
  /// The functions in which things are handed on by those that had waited for one, in some part.
  private var pools: Set<Int32> = []
  /// In the order of time.
  private var got: [Key: [Got]] = [:]
  private var functions: [FrameID: Int32] = [:]
  /// By function: who had one of those things, from when until when it handed that on.
  private var holds = HeldRuns<Int32>()

  /// Nothing is known.
  init() {}

  /// O(n log n) for n suspensions.
  init(_ trace: Trace, _ code: inout ProgramCode) {
    for row in trace.tasks.indices {
      trace.tasks.withUnsafeBufferPointer { tasks in
        let work = WorkKind.task.indexes(in: trace).lowerBound + row
        for suspension in tasks[row].suspensions where suspension.reason == .continuation {
          guard let at = suspension.at, let end = suspension.resumed?.time ?? suspension.to else { continue }
          let path = code.path(at)
          let from = suspension.resumer.flatMap(trace.workIndex(of:))
          guard path.isOwn, from != nil || suspension.resumed != nil else { continue }
          functions[at] = path.function
          if let from { given[Key(function: path.function, work: from), default: []].append(end) }
          got[Key(function: path.function, work: work), default: []].append(Got(time: end, from: from))
        }
      }
    }
    var (all, byHolders): ([Int32: Int], [Int32: Int]) = ([:], [:])
    for (key, times) in given {
      all[key.function, default: 0] += times.count
      if got[key] != nil { byHolders[key.function, default: 0] += times.count }
    }
    pools = Set(byHolders.lazy.filter { $0.value * Self.leastPart >= all[$0.key, default: 0] }.map(\.key))
    guard !pools.isEmpty else { return }
    let loops = TaskLoops(trace, &code)
    let first = WorkKind.task.indexes(in: trace).lowerBound
    for (key, times) in given where pools.contains(key.function) { hold(key, times.sorted(), loops, key.work - first) }
    holds.settle()
  }

  /// One in so many is handed on by somebody who had it.
  private static let leastPart = 5

  /// What was got is had until the next one is handed on. If another is got before, or the task comes to the end of its round, nobody waited
  /// for the first when it was given back. `row`: the task's.
  private mutating func hold(_ key: Key, _ given: [Nanoseconds], _ loops: TaskLoops, _ row: Int) {
    let all = got[key] ?? []
    for (index, one) in all.enumerated() {
      let next = given.firstSorted { $0 > one.time }
      guard next < given.count, index + 1 == all.count || given[next] <= all[index + 1].time,
        given[next] <= loops.roundEnd(of: row, after: one.time) ?? .max
      else { continue }
      holds.add(key.function, one.time, given[next], key.work)
    }
  }

  /// Who had it; none: not known who. `giver`: who handed it on then, nil: a thread without work.
  typealias Held = (began: Nanoseconds, ended: Nanoseconds, by: [Int], giver: Int?)

  /// Who had what a suspension waited for between two moments, in the order of time. Nil: it is nothing that is handed on. O(holders).
  ///
  /// - Parameter resumer: who ended the wait; nil: a thread that ran no work.
  func holders(
    of suspension: TaskRecord.Suspension, by resumer: Int?, waiter: Int, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [Held]? {
    guard let function = suspension.at.flatMap({ functions[$0] }) else {
      return resumer.map { [(from, to, [$0], $0)] }
    }
    if let resumer { return chain(function, resumer, waiter, from, to) }
    return pools.contains(function) ? anyHolder(function, waiter, from, to) : nil
  }

  /// Goes back from who ended the wait to whom that one had it from. Work that hands on again and again, and never had to wait for one, gives
  /// back what others had.
  private func chain(
    _ function: Int32, _ resumer: Int, _ waiter: Int, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [Held] {
    var holder = resumer
    var end = to
    var found: [Held] = []
    for _ in 0..<Self.mostHolders {
      let key = Key(function: function, work: holder)
      if handsOnOnly(key) {
        found.append((from, end, [], holder))
        return found.reversed()
      }
      guard let last = last(key, until: end), last.time > from, last.from != holder else { break }
      found.append((last.time, end, [holder], holder))
      guard let before = last.from else { return anyHolder(function, waiter, from, last.time) + found.reversed() }
      (holder, end) = (before, last.time)
    }
    if end > from { found.append((from, end, [holder], holder)) }
    return found.reversed()
  }

  /// Whoever is known to have had one of the things, where it is not known who had just this one.
  private func anyHolder(_ function: Int32, _ waiter: Int, _ from: Nanoseconds, _ to: Nanoseconds) -> [Held] {
    holds.pieces(of: CollectionOfOne(function), except: waiter, from, to).map { ($0.began, $0.ended, $0.work, nil) }
  }

  /// Fewer may be chance.
  private static let leastGiven = 3

  /// Whether work hands such things on again and again, and never had one itself. O(1).
  private func handsOnOnly(_ key: Key) -> Bool {
    pools.contains(key.function) && got[key] == nil && given[key, default: []].count >= Self.leastGiven
  }

  private static var mostHolders: Int { 1000 }

  private func last(_ key: Key, until time: Nanoseconds) -> Got? {
    guard let all = got[key] else { return nil }
    // What it got at that moment it has handed on at once.
    let next = all.firstSorted { $0.time >= time }
    return next > 0 ? all[next - 1] : nil
  }
}
