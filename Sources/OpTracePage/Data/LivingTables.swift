import OpTracePageParts
import OpTraceModel

/// What the tables of a live page must know about the previous ones: which numbers have moved, and what need not be
/// checked again.
struct LivingTables {
  let numbers: StableNumbers
  private let workTracks: PageLanes.WorkTracks
  /// For how many updates each operation has been over and released. Nothing happens to it any more, but two updates
  /// are waited for, because the records of several threads become visible one thread after another.
  private let gone: [UInt8]
  private let wasGone: [UInt8]
  private let ids: [OperationID]
  private let lastIDs: [OperationID]
  private let lastTracks: PageLanes.WorkTracks?
  /// The present number of each old track, and of each old group. -1: it no longer exists. Nil: nothing has moved.
  let movedTracks: [Int]?
  let movedGroups: [Int]?

  init(_ trace: Trace, _ lanes: PageLanes, after last: LivingTables?) {
    workTracks = lanes.workTracks
    let groups = Self.stable(lanes.groups.map { [$0.scheduler.hashValue, $0.kind.hashValue] })
    let tracks = Self.stable(lanes.tracks.map { [groups[$0.group], $0.name.hashValue] })
    numbers = StableNumbers(
      kinds: WorkKind.allCases.map { $0.first(in: trace) }, tracks: tracks, groups: groups)
    wasGone = last?.gone ?? []
    lastIDs = last?.ids ?? []
    lastTracks = last?.workTracks
    ids = trace.operations.withUnsafeBufferPointer { records in records.indices.map { records[$0].id } }
    let before = ids.starts(with: lastIDs) ? wasGone : []
    gone = trace.operations.withUnsafeBufferPointer { records in
      records.indices.map { row in
        guard records[row].finished != nil, records[row].released != nil else { return 0 }
        return row < before.count ? min(2, before[row] + 1) : 1
      }
    }
    movedTracks = last.flatMap { Self.moved($0.numbers.tracks, tracks) }
    movedGroups = last.flatMap { Self.moved($0.numbers.groups, groups) }
  }

  /// Whether the whole row of an operation is the same as on the page.
  func isSettled(_ row: Int) -> Bool {
    guard row < wasGone.count, wasGone[row] == 2, lastIDs[row] == ids[row], let lastTracks else { return false }
    return workTracks.execution[row] == moved(lastTracks.execution[row])
      && workTracks.dependencies[row] == moved(lastTracks.dependencies[row])
      && workTracks.slot[row] == moved(lastTracks.slot[row])
  }

  /// Returns the present number of a track.
  func track(after old: Int) -> Int {
    guard let movedTracks else { return old }
    return movedTracks.indices.contains(old) ? movedTracks[old] : -1
  }

  private func moved(_ track: Int32) -> Int32 {
    track < 0 ? track : Int32(self.track(after: Int(track)))
  }

  /// Returns a number for each part that stays the same as the trace grows. It is made from what the part is, and from
  /// its ordinal among parts that are the same.
  private static func stable(_ parts: [[Int]]) -> [Int] {
    var seen: [[Int]: Int] = [:]
    return parts.map { part in
      seen[part, default: 0] += 1
      return (part + [seen[part] ?? 0]).hashValue
    }
  }

  private static func moved(_ old: [Int], _ new: [Int]) -> [Int]? {
    guard old != Array(new.prefix(old.count)) else { return nil }
    let present = Dictionary(new.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return old.map { present[$0] ?? -1 }
  }
}
