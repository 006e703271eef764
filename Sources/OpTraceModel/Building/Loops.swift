import OpTraceFormat

/// Assembles what is known of event loops.
struct Loops {
  private struct Loop {
    var record: LoopRecord
    /// The time of the last record of totals, and whether a turn was open then.
    var told: (time: Nanoseconds, isOpen: Bool)?
    /// The time until which the last long turn is known to have lasted.
    var seenUntil: Nanoseconds = .min
  }

  /// The loops, by thread.
  private var loops: [UInt32: Loop] = [:]

  private static let microsecond: Nanoseconds = 1000
  /// Records are left out while nothing changes, for at least a second each. Shorter gaps come from the difference of
  /// clocks.
  private static let shortestGap: Nanoseconds = 100_000_000
  /// A loop that goes on writes a record at least once a minute.
  private static let longestSilence: Nanoseconds = 150_000_000_000

  mutating func add(_ thread: UInt32, _ fields: EventFields.LoopTurns, _ time: Nanoseconds) {
    var second = LoopRecord.Second(
      time: time, turns: Int(fields.turns), busy: Nanoseconds(fields.busy) * Self.microsecond,
      idle: Nanoseconds(fields.idle) * Self.microsecond, longest: Nanoseconds(fields.longest) * Self.microsecond)
    change(thread) { loop in
      loop.record.isManager = fields.manager
      if let told = loop.told {
        let gap = second.began - told.time
        if gap >= Self.shortestGap {
          loop.record.add(
            .init(
              time: second.began, turns: 0, busy: told.isOpen ? gap : 0, idle: told.isOpen ? 0 : gap, longest: 0))
        } else if gap > -Self.shortestGap {
          // The recorder's clock and the trace's differ by some 0.01 %.
          second.idle = max(0, time - told.time - second.busy)
        }
      }
      loop.record.add(second)
      loop.told = (time, fields.open)
    }
  }

  mutating func add(_ thread: UInt32, _ fields: EventFields.LoopTurn, _ time: Nanoseconds) {
    let began = TimeBounds.clamp(time &- Nanoseconds(fields.age) &* Nanoseconds(Layout.ageUnit))
    change(thread) { loop in
      loop.record.isManager = fields.manager
      loop.record.longest = max(loop.record.longest, time - began)
      // A thread is in one turn at a time, so a turn that began before the last one was seen to go on is that same
      // turn.
      if let last = loop.record.longTurns.indices.last {
        let isOpen = loop.record.longTurns[last].ended == nil
        if began < loop.seenUntil {
          if isOpen, !fields.open { loop.record.longTurns[last].ended = time }
          if isOpen { loop.seenUntil = max(time, loop.seenUntil) }
          return
        }
        if isOpen { loop.record.longTurns[last].ended = loop.seenUntil }
      }
      loop.record.longTurns.append(.init(began: began, ended: fields.open ? nil : time))
      loop.seenUntil = time
    }
  }

  private mutating func change(_ thread: UInt32, _ body: (inout Loop) -> Void) {
    body(&loops[thread, default: Loop(record: LoopRecord(thread: ThreadID(thread)))])
  }

  /// Forgets seconds and long turns from before `time`, and loops without records for a long time. O(seconds).
  mutating func forget(before time: Nanoseconds) {
    for (thread, loop) in loops {
      if max(loop.told?.time ?? .min, loop.seenUntil) < time &- Self.longestSilence {
        loops[thread] = nil
        continue
      }
      change(thread) { loop in
        loop.record.seconds.removeAll { $0.time < time }
        loop.record.longTurns.removeAll { $0.ended.map { $0 < time } ?? false }
      }
    }
  }

  /// The loops, sorted by thread. O(n log n).
  func finish() -> [LoopRecord] { loops.values.map(\.record).sorted { $0.thread < $1.thread } }
}

extension LoopRecord {
  fileprivate mutating func add(_ second: Second) {
    seconds.append(second)
    turns += second.turns
    busy = TimeBounds.clamp(busy + second.busy)
    idle = TimeBounds.clamp(idle + second.idle)
    longest = max(longest, second.longest)
  }
}
