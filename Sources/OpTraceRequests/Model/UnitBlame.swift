package import OpTraceBlame
import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// Time of the slow units of a kind that is to be blamed on one thing, wherever they lost it.
  package struct Blamed: Sendable {
    /// Of the units: an index in ``Requests/kinds``.
    package var kind: Int32
    package var culprit: Culprit
    /// What a slow unit, and one about the median, spends on it: the mean, in nanoseconds.
    package var tail: Nanoseconds = 0
    package var median: Nanoseconds = 0
    /// The share of the slow units' time, from 0 to 1.
    package var share: Double = 0
    /// What those did who had it, with their shares of ``tail``; the most first.
    package var ends: [(end: BlameEnd, share: Double)] = []
    /// What slow units themselves waited for meanwhile, likewise. Nil: nothing, they did it themselves.
    package var waits: [(resource: BlameResource?, share: Double)] = []
    /// What was waited for last, by those next to the end, likewise.
    package var places: [(resource: BlameResource?, share: Double)] = []
    /// For which kind of unit those worked who had it, likewise; -1: for none that is known.
    package var holders: [(kind: Int32, share: Double)] = []
    /// The share of work of units that had ended already.
    package var afterAnswer: Double = 0
  }
}

/// Blames the time of slow units on what they lost it to.
struct UnitBlame {
  private var strands: TraceStrands
  private let requests: Requests
  private let moments: RequestMoments

  /// So many kinds, those that come first, and so many units of each are looked at.
  private static let mostKinds = 16
  private static let mostUnits = 40
  /// One unit may be slow for a reason that no other has.
  private static let leastSlow = 5
  private static let tailPercent = 1
  private static let middlePercent = 10
  /// With fewer units than this, the slow ones say nothing.
  static let leastUnits = 20

  /// O(n log n) for n pieces of work, waits and samples.
  init(_ requests: Requests, _ strands: TraceStrands) {
    (self.requests, self.strands) = (requests, strands)
    moments = RequestMoments(requests, strands.trace)
  }

  /// The locations that it was given, and others.
  var code: ProgramCode { strands.code }

  /// By kind, as an index: how the time was passed on that was blamed. Only if it was asked for.
  private(set) var trees: [Int32: Requests.BlameTree] = [:]

  /// Those of each kind, the most time first. `hasTrees`: make ``trees``, too. O(units log units + pieces of those that are looked at).
  mutating func all(hasTrees: Bool) -> [Requests.Blamed] {
    var members = Array(repeating: [Int](), count: min(Self.mostKinds, requests.kinds.count))
    for (index, unit) in requests.units.enumerated() where Int(unit.kind) < members.count {
      members[Int(unit.kind)].append(index)
    }
    return members.enumerated().flatMap { kind, units in
      units.count < Self.leastUnits ? [] : blamed(Int32(kind), units, hasTree: hasTrees)
    }
  }

  /// The beat of kinds of units whose work has time of slow units. O(units log units).
  func beats(of blamed: [Requests.Blamed]) -> [Int32: Requests.Beat] {
    var begins: [Int32: [(began: Nanoseconds, length: Nanoseconds)]] = [:]
    for one in blamed { if let kind = one.holders.first?.kind, kind >= 0 { begins[kind] = [] } }
    for unit in requests.units { begins[unit.kind]?.append((unit.began, unit.length)) }
    return begins.compactMapValues { Requests.Beat($0) }
  }

  private mutating func blamed(_ kind: Int32, _ units: [Int], hasTree: Bool) -> [Requests.Blamed] {
    let sorted = units.sorted { (requests.units[$0].length, $0) < (requests.units[$1].length, $1) }
    let slow = Self.some(of: sorted.suffix(max(Self.leastSlow, sorted.count * Self.tailPercent / 100)))
    let half = sorted.count * Self.middlePercent / 200
    let middle = (sorted.count - 1) / 2
    let typical = Self.some(of: sorted[max(0, middle - half)...min(sorted.count - 1, middle + half)])
    var sums: [Culprit: Sums] = [:]
    var tree = BlameTreeBuilder(slow)
    for (place, unit) in slow.enumerated() {
      for (culprit, share) in blame(unit) {
        sums[culprit, default: Sums()].add(share, holder(in: share))
        if hasTree { tree.add(steps(of: share, culprit), unit: place, time: share.time) }
      }
    }
    if hasTree { trees[kind] = tree.finished() }
    for unit in typical {
      for (culprit, share) in blame(unit) { sums[culprit]?.median += share.time }
    }
    let all = max(1, sums.values.reduce(0) { $0 + $1.tail })
    return sums.map { culprit, sum in
      Requests.Blamed(
        kind: kind, culprit: culprit, tail: Nanoseconds(sum.tail / Double(slow.count)),
        median: Nanoseconds(sum.median / Double(typical.count)), share: sum.tail / all,
        ends: sum.shares(sum.ends).map { ($0, $1) }, waits: sum.shares(sum.waits).map { ($0, $1) },
        places: sum.shares(sum.places).map { ($0, $1) },
        holders: sum.shares(sum.holders).map { ($0, $1) }, afterAnswer: sum.afterAnswer / max(1, sum.tail))
    }
    .sorted { ($1.share, $0.tail) < ($0.share, $1.tail) }
  }

  private mutating func blame(_ unit: Int) -> [(Culprit, Blame<TraceStrands>.Share)] {
    let unit = requests.units[unit]
    guard let work = strands.trace.workIndex(of: unit.work) else { return [] }
    let blame = Blame(.work(work), from: unit.began, to: unit.ended, in: &strands)
    return blame.shares.map { (Blame.culprit(of: $0, strands.code), $0) }
  }

  /// What there was on the way to an end, for people: what was waited for, and who had it.
  private func steps(of share: Blame<TraceStrands>.Share, _ culprit: Culprit) -> [Requests.BlameTree.Step] {
    var steps: [Requests.BlameTree.Step] = []
    for hop in share.hops {
      if hop.resource.kind.isStructure {
        let work = hop.holder.flatMap { strands.work(of: $0, at: share.began) }
        steps.append(.awaits(hop.resource.kind, work.map { strands.trace.work(at: $0).kind } ?? hop.resource.name))
      } else {
        steps.append(.waits(hop.resource.withoutPlace))
        if let holder = hop.holder { steps.append(strands.step(of: holder, at: share.began, moments, requests)) }
      }
    }
    return steps + [.ends(share.end, culprit)]
  }

  /// The kind of unit for which those work who had what was waited for last, -1: none is known; and whether it was over.
  private func holder(in share: Blame<TraceStrands>.Share) -> (kind: Int32, isOver: Bool) {
    guard let holder = share.hops.last(where: { !$0.resource.kind.isStructure })?.holder,
      let work = strands.work(of: holder, at: share.began),
      let unit = moments.unit(of: strands.trace.workID(at: work), at: share.began)
    else { return (-1, false) }
    return (requests.units[unit].kind, share.began > requests.units[unit].ended)
  }

  /// Some of many, evenly.
  private static func some(of units: ArraySlice<Int>) -> [Int] {
    let all = Array(units)
    guard all.count > mostUnits else { return all }
    return (0..<mostUnits).map { all[$0 * (all.count - 1) / (mostUnits - 1)] }
  }
}

extension BlameResource {
  /// The same one, wherever it is waited for, if its name or its kind says what it is.
  fileprivate var withoutPlace: BlameResource {
    switch kind {
    case .signal, .continuation, .executor: self
    case .thread, .main, .actor, .slot, .queue, .dependency, .lock, .loop, .child, .submission:
      BlameResource(kind, name)
    }
  }
}

/// Time with one culprit, and how it went.
private struct Sums {
  var tail = 0.0
  var median = 0.0
  var ends: [BlameEnd: Double] = [:]
  var waits: [BlameResource?: Double] = [:]
  var places: [BlameResource?: Double] = [:]
  var holders: [Int32: Double] = [:]
  var afterAnswer = 0.0

  mutating func add(_ share: Blame<TraceStrands>.Share, _ holder: (kind: Int32, isOver: Bool)) {
    tail += share.time
    ends[share.end, default: 0] += share.time
    waits[share.hops.first { !$0.resource.kind.isStructure }?.resource, default: 0] += share.time
    places[share.hops.last { !$0.resource.kind.isStructure }?.resource, default: 0] += share.time
    holders[holder.kind, default: 0] += share.time
    if holder.isOver { afterAnswer += share.time }
  }

  /// The shares of ``tail``, the largest first. Equal ones are in the order of their words, so that it is always the same.
  func shares<Key: Hashable>(_ times: [Key: Double]) -> [(Key, Double)] {
    times.map { ($0.key, $0.value / max(1, tail), String(describing: $0.key)) }
      .sorted { ($1.1, $0.2) < ($0.1, $1.2) }.map { ($0.0, $0.1) }
  }
}
