import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

@Suite struct ClockMapTests {
  @Test func tickOfTheMonotonicClockIsANanosecond() {
    var clock = ClockMap(nanosecondsFrom: 5_000)
    #expect(clock.isIdentity)
    #expect(clock.time(5_000) == 0)
    #expect(clock.time(7_500) == 2_500)
    #expect(clock.time(4_000) == -1_000)
  }

  @Test func estimatedRateIsUsedWithOneCalibration() {
    var clock = ClockMap(start: .init(ticks: 1000, monotonic: 50), others: [], ticksPerSecond: 2_000_000_000)
    #expect(clock.time(3000) == 1000)
    #expect(clock.time(0) == -500)
    #expect(clock.nanosecondsPerTick == 0.5)
  }

  @Test func timesBetweenCalibrationsAreInterpolated() {
    // The second half runs at a third of the rate of the first.
    var clock = ClockMap(
      start: .init(ticks: 0, monotonic: 100),
      others: [.init(ticks: 2000, monotonic: 2100), .init(ticks: 1000, monotonic: 1600)], ticksPerSecond: 1)
    #expect(clock.time(500) == 750)
    #expect(clock.time(1000) == 1500)
    #expect(clock.time(1500) == 1750)
    #expect(clock.time(2000) == 2000)
    // After the last calibration the last slope goes on. Times may be asked for in any order.
    #expect(clock.time(4000) == 3000)
    #expect(clock.time(500) == 750)
  }

  @Test func timeNeverRunsBackwards() {
    let others: [ClockMap.Calibration] = [
      .init(ticks: 10, monotonic: 5), .init(ticks: 20, monotonic: 200), .init(ticks: 15, monotonic: 500),
      .init(ticks: 20, monotonic: 100),
    ]
    var clock = ClockMap(start: .init(ticks: 5, monotonic: 50), others: others, ticksPerSecond: 1_000_000_000)
    var last = Nanoseconds.min
    for ticks in UInt64(0)..<100 {
      let time = clock.time(ticks)
      #expect(time >= last)
      last = time
    }
  }

  /// Calibrations come once a second, each a little wrong, and some right after a time that was handed out.
  @Test(arguments: UInt64(1)...5) func learnedClockStaysNearAndNeverGoesBack(_ seed: UInt64) {
    var generator = SeededGenerator(seed)
    let rate = 0.4
    let start = ClockMap.Calibration(ticks: 1_000_000, monotonic: 7_000)
    var clock = ClockMap(start: start, others: [], ticksPerSecond: 2_490_000_000)
    var calibrations: [ClockMap.Calibration] = []
    var (last, handedOut) = (Nanoseconds.min, start.ticks)
    for second in 1...200 {
      let ticks = start.ticks + UInt64(second) * 2_500_000_000
      let noise = Double.random(in: -1_000...1_000, using: &generator)
      calibrations.append(
        .init(ticks: ticks, monotonic: start.monotonic + UInt64(Double(ticks - start.ticks) * rate + noise)))
      // What was handed out last is just before the calibration, or just after it.
      let next = UInt64(Int64(ticks) + .random(in: -3_000...3_000, using: &generator))
      for at in stride(from: handedOut, through: next, by: 97_000_001) {
        let time = clock.time(at)
        #expect(time >= last)
        #expect(abs(Double(time) - Double(at - start.ticks) * rate) < (second < 4 ? 10e6 : 10_000), "\(second) s")
        last = time
      }
      handedOut = next
      last = clock.time(handedOut)
      clock.learn(calibrations, from: handedOut, start: start)
    }
  }

  @Test func damagedClockStaysWithinTheBounds() {
    var clock = ClockMap(
      start: .init(ticks: 0, monotonic: 0), others: [.init(ticks: 1, monotonic: .max)], ticksPerSecond: 0)
    for ticks in [0, 1, 2, .max / 2, .max] as [UInt64] { #expect(TimeBounds.range.contains(clock.time(ticks))) }
    var plain = ClockMap(nanosecondsFrom: .max / 2)
    for ticks in [0, 1, .max / 2, .max] as [UInt64] { #expect(TimeBounds.range.contains(plain.time(ticks))) }
  }

  @Test func agesAreScaledAndTheLargestIsKept() {
    let created = KindTables.ages[Int(EventKind.operationCreated.rawValue)]
    let word: UInt64 = 0x10_0003 | 1000 << 24
    #expect(Age.scaled(word, at: created, by: 0.5) == 0x10_0003 | 500 << 24)
    #expect(Age.nanoseconds(word, of: .operationCreated) == 16_000)
    let longest: UInt64 = 7 | 0xFF_FFFF_FFFF << 24
    #expect(Age.scaled(longest, at: created, by: 0.5) == longest)
    #expect(Age.scaled(longest - (1 << 24), at: created, by: 1000) >> 24 == 0xFF_FFFF_FFFE)
    // In `blocked` and `signalled` the age is below a thread's number.
    let blocked: UInt64 = 7 << 40 | 1000
    #expect(Age.scaled(blocked, at: KindTables.ages[Int(EventKind.blocked.rawValue)], by: 0.5) == 7 << 40 | 500)
    #expect(Age.nanoseconds(blocked, of: .blocked) == 16_000)
  }
}

@Suite struct RunMergeTests {
  @Test(arguments: [0, 1, 2, 3, 7, 64, 1000]) func sortsStably(_ count: Int) {
    var generator = SeededGenerator(UInt64(count) + 1)
    for _ in 0..<20 {
      var entries = (0..<count).map { index in
        TraceEvents.Entry(
          time: .random(in: 0...20, using: &generator), thread: .random(in: 1...3, using: &generator),
          wordIndex: UInt32(index))
      }
      let expected = entries.sorted { ($0.time, $0.thread, $0.wordIndex) < ($1.time, $1.thread, $1.wordIndex) }
      RunMerge.sort(&entries)
      #expect(entries.map(\.wordIndex) == expected.map(\.wordIndex))
    }
  }
}
