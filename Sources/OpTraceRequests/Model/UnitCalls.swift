import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// How often units of a kind wait in a function, which is once for each call that it makes.
  package struct Calls: Sendable {
    /// An index in ``Requests/kinds``.
    package var kind: Int32
    /// The innermost function of the program's own: an index in ``Requests/locations``.
    package var function: Int32
    /// In a unit: the median of all, and the most.
    package var median: Int
    package var most: Int
    /// In a slow unit: the median of the slowest twentieth.
    package var slow: Int
    /// How long most of these waits are, all the same, as a time limit makes them; nil: they differ.
    package var limit: Nanoseconds?
  }

  /// Units of one kind that do the same part of their work at the same time, though most units have no need of it.
  package struct Crowd: Sendable {
    /// An index in ``Requests/kinds``.
    package var kind: Int32
    /// The function that all of them are in: an index in ``Requests/locations``.
    package var function: Int32
    /// How many units came there.
    package var units: Int
    /// How many were there at once, at most; and when.
    package var most: Int
    package var at: Nanoseconds
    /// The share of the slow units' time that is spent there, from 0 to 1.
    package var share: Double
  }
}

/// What units do several times, and what several units do at once.
struct UnitCalls {
  private struct Key: Hashable {
    var kind: Int32
    var function: Int32
  }
  private struct Stay {
    var began: Nanoseconds
    var ended: Nanoseconds
    var unit: Int
  }

  /// With fewer calls nothing is repeated that would hurt.
  private static let leastCalls = 3

  private var counts: [Key: [Int]] = [:]
  /// The same of slow units.
  private var slowCounts: [Key: [Int]] = [:]
  private var slowUnits: [Int32: Int] = [:]
  /// How long waits are, of functions in which units wait several times: the first ones.
  private var lengths: [Key: [Nanoseconds]] = [:]
  private static let mostLengths = 4000
  private var stays: [Key: [Stay]] = [:]

  /// O(suspensions).
  init(_ requests: Requests, _ trace: Trace, _ code: inout ProgramCode) {
    var found: [Int32: Int] = [:]
    var inside: [Int32: Stay] = [:]
    // By where they idle: functions in which every unit is, wherever it waits.
    var arounds: [Set<FrameID>: Set<Int32>] = [:]
    for (index, unit) in requests.units.enumerated() {
      guard let row = trace.taskRow(unit.work) else { continue }
      let kind = requests.kinds[Int(unit.kind)]
      guard kind.count >= UnitBlame.leastUnits else { continue }
      found.removeAll(keepingCapacity: true)
      inside.removeAll(keepingCapacity: true)
      let idle = requests.shapes[row].idle
      let around = arounds[idle] ?? Set(idle.flatMap { code.path($0).functions })
      arounds[idle] = around
      trace.tasks.withUnsafeBufferPointer { tasks in
        let all = tasks[row].suspensions
        for suspension in all[all.firstSorted { $0.from.time >= unit.began }...] {
          // Where it idles is no part of it.
          guard suspension.from.time < unit.ended else { break }
          guard suspension.reason == .continuation || suspension.reason == .executor && suspension.actor == nil,
            suspension.at.map(idle.contains) != true
          else { continue }
          let path = code.path(suspension.at)
          guard path.isOwn else { continue }
          found[path.function, default: 0] += 1
          let key = Key(kind: unit.kind, function: path.function)
          if lengths[key, default: []].count < Self.mostLengths {
            lengths[key, default: []].append((min(unit.ended, suspension.to ?? unit.ended)) - suspension.from.time)
          }
          for function in path.functions where !around.contains(function) {
            inside[function, default: Stay(began: suspension.from.time, ended: 0, unit: index)].ended =
              min(unit.ended, suspension.to ?? unit.ended)
          }
        }
      }
      let isSlow = unit.length >= kind.p95
      if isSlow { slowUnits[unit.kind, default: 0] += 1 }
      for (function, count) in found {
        counts[Key(kind: unit.kind, function: function), default: []].append(count)
        if isSlow { slowCounts[Key(kind: unit.kind, function: function), default: []].append(count) }
      }
      for (function, stay) in inside {
        stays[Key(kind: unit.kind, function: code.location(ofFunction: function)), default: []].append(stay)
      }
    }
  }

  /// Functions in which units of some kind wait several times, with all kinds that come there; the most first.
  func calls(in requests: Requests) -> [Requests.Calls] {
    let repeated = Set(counts.lazy.filter { $0.value.contains { $0 >= Self.leastCalls } }.map(\.key.function))
    return counts.compactMap { key, counts -> Requests.Calls? in
      guard repeated.contains(key.function), let most = counts.max() else { return nil }
      return Requests.Calls(
        kind: key.kind, function: key.function, median: Self.median(counts, of: requests.kinds[Int(key.kind)].count),
        most: most, slow: Self.median(slowCounts[key] ?? [], of: slowUnits[key.kind] ?? 0),
        limit: lengths[key].flatMap { Self.limit(of: $0) })
    }
    .sorted { ($1.median, $1.most, $0.kind, $0.function) < ($0.median, $0.most, $1.kind, $1.function) }
  }

  /// Of so many units, of which some never came there.
  private static func median(_ counts: [Int], of units: Int) -> Int {
    let middle = (units - 1) / 2 - (units - counts.count)
    return middle < 0 || counts.isEmpty ? 0 : counts.sorted()[middle]
  }

  /// So many of the waits are as long as each other, but for so much.
  private static let leastAlike = 0.6
  private static let alike = 0.05
  private static let shortest: Nanoseconds = 5_000_000

  private static func limit(of lengths: [Nanoseconds]) -> Nanoseconds? {
    let sorted = lengths.sorted()
    guard sorted.count >= UnitBlame.leastUnits else { return nil }
    let middle = sorted[sorted.count / 2]
    let near = sorted.count { abs(Double($0 - middle)) <= Double(middle) * alike }
    return middle >= shortest && Double(near) >= Double(sorted.count) * leastAlike ? middle : nil
  }

  /// Functions in which units are at the same time, those with most of the slow units' time first. O(n log n) for n stays.
  func crowds(in requests: Requests) -> [Requests.Crowd] {
    stays.compactMap { key, stays in crowd(key.kind, key.function, stays, requests) }
      .sorted { ($1.share, $0.kind, $0.function) < ($0.share, $1.kind, $1.function) }
  }

  private static let leastCrowd = 8
  private static let leastStays = 16
  /// Most units have no need of it: a cache that is warm.
  private static let mostOfKind = 0.5
  /// So many of those who come find so many others there. The first ones of a crowd do not.
  private static let leastTogether = 0.4
  private static let together = 4
  private static let moreThanUsual = 3.0

  private func crowd(
    _ kind: Int32, _ function: Int32, _ stays: [Stay], _ requests: Requests
  ) -> Requests.Crowd? {
    let about = requests.kinds[Int(kind)]
    guard stays.count >= Self.leastStays, Double(stays.count) <= Self.mostOfKind * Double(about.count) else {
      return nil
    }
    var changes: [(time: Nanoseconds, by: Int)] = []
    for stay in stays { changes += [(stay.began, 1), (stay.ended, -1)] }
    var (there, most, at, notAlone) = (0, 0, Nanoseconds(0), 0)
    for change in changes.sorted(by: { ($0.time, $0.by) < ($1.time, $1.by) }) {
      if change.by > 0, there >= Self.together { notAlone += 1 }
      there += change.by
      if there > most { (most, at) = (there, change.time) }
    }
    // Where all stay long, many are there at any time.
    let time = requests.units.lazy.map(\.ended).max() ?? 0
    let all = stays.reduce(Nanoseconds(0)) { $0.saturating(max(0, $1.ended - $1.began)) }
    let usual = Double(all) / Double(max(1, time - (stays.map(\.began).min() ?? 0)))
    guard most >= Self.leastCrowd, Double(notAlone) >= Self.leastTogether * Double(stays.count),
      Double(most) >= usual * Self.moreThanUsual
    else { return nil }
    var slowTime: Nanoseconds = 0
    var inside: Nanoseconds = 0
    let slow = Set(
      requests.units.indices.filter { requests.units[$0].kind == kind && requests.units[$0].length >= about.p95 })
    for unit in slow { slowTime = slowTime.saturating(requests.units[unit].length) }
    for stay in stays where slow.contains(stay.unit) { inside = inside.saturating(max(0, stay.ended - stay.began)) }
    return Requests.Crowd(
      kind: kind, function: function, units: stays.count, most: most, at: at,
      share: Double(inside) / Double(max(1, slowTime)))
  }
}
