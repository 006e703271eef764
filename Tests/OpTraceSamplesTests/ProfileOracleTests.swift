import OpTraceKernel
import OpTraceSamples
import OpTraceModel
import TestSupport
import Testing

/// Sums and owners of random samples, compared to a brute-force count.
@Suite("Samples: results match a brute-force count")
struct ProfileOracleTests {
  /// A run of a work on a thread.
  private struct Run {
    var work: UInt32
    var thread: Int
    var began: Int
    var ended: Int
  }

  private struct Made {
    var trace: Trace
    /// For each sample its time, thread and stack.
    var samples: [(time: Int, thread: Int, stack: [String])]
    var runs: [Run]
  }

  /// Nested blocks on two threads. They begin and end at times at which samples are taken, too.
  private func make(_ random: inout SeededGenerator) throws -> Made {
    var text = SampledTrace()
    text.sampling(every: 1000)
    text.add("0 t1 dispatch-queue d1 width=0 \"pool\"")
    text.add("0 t1 dispatch-queue d2 width=1 \"db\"")
    var runs: [Run] = []
    func fill(_ thread: Int, _ began: Int, _ ended: Int, _ depth: Int, _ random: inout SeededGenerator) {
      var time = began
      while time < ended, runs.count < 40 {
        let from = time + random.number(0..<6)
        let to = min(ended, from + 1 + random.number(0..<20))
        guard from < to else { return }
        let work = UInt32(runs.count + 1)
        runs.append(Run(work: work, thread: thread, began: from, ended: to))
        text.add("\(from) t\(thread) submitted #\(work) queue=d\(1 + random.number(0..<2))")
        text.add("\(from) t\(thread) run #\(work)")
        if depth < 3, random.chance(50) { fill(thread, from + 1, to - 1, depth + 1, &random) }
        text.add("\(to) t\(thread) ran #\(work)")
        time = to + 1
      }
    }
    for thread in 2...3 { fill(thread, 0, 100, 0, &random) }
    let names = ["a()", "b()", "c()", "d()"]
    var samples: [(time: Int, thread: Int, stack: [String])] = []
    for _ in 0..<random.number(1..<120) {
      let stack = (0..<1 + random.number(0..<6)).map { _ in names[random.number(0..<names.count)] }
      samples.append((random.number(0..<110), 1 + random.number(0..<3), stack))
    }
    samples.sort { ($0.time, $0.thread) < ($1.time, $1.thread) }
    for one in samples { text.sample(one.time, one.thread, text.stack(one.stack)) }
    return Made(trace: TraceBuilder.build(try TraceText.parse(text.text)), samples: samples, runs: runs)
  }

  /// The running work that began last; of those that began at once, the one that ends first.
  private func owner(_ runs: [Run], _ time: Int, _ thread: Int) -> UInt32? {
    runs.filter { $0.thread == thread && $0.began <= time && time <= $0.ended }
      .max { ($0.began, -$0.ended, $0.work) < ($1.began, -$1.ended, $1.work) }?.work
  }

  @Test("own times, total times and owners match the count", arguments: 0..<150)
  func sums(seed: Int) throws {
    var random = SeededGenerator(seed)
    let made = try make(&random)
    let profile = Profile(of: made.trace)
    #expect(profile.samples.count == made.samples.count)
    var own: [String: Int64] = [:]
    var total: [String: Int64] = [:]
    for sample in made.samples {
      own[sample.stack.last ?? "", default: 0] += 1000
      for name in Set(sample.stack) { total[name, default: 0] += 1000 }
    }
    let rows = profile.functionRows()
    #expect(rows.count == total.count)
    for row in rows {
      let name = profile.functions[row.function].name
      #expect(row.own == own[name] ?? 0 && row.total == total[name], "\(name), seed \(seed)")
      // All functions are the program's.
      #expect(row.charged == row.own)
      #expect(row.ownSamples * 1000 == Int(row.own) && row.totalSamples * 1000 == Int(row.total))
    }
    #expect(rows.map(\.own) == rows.map(\.own).sorted(by: >))
    #expect(rows.reduce(0) { $0 + $1.own } == profile.total)
    // Samples of the same time and thread have no order, but the same owner.
    let expected = made.samples.map { owner(made.runs, $0.time, $0.thread) }
    #expect(profile.samples.map { $0.work?.rawValue } == expected, "seed \(seed)")
    for grouping in [Profile.Grouping.work, .thread, .queue] {
      let groups = profile.groupRows(by: grouping)
      #expect(groups.reduce(0) { $0 + $1.weight } == profile.total)
      #expect(groups.allSatisfy { group in group.functions.reduce(0) { $0 + $1.own } == group.weight })
      #expect(Set(groups.map(\.name)).count == groups.count)
    }
    // A selected queue has the samples inside runs of its blocks.
    var selection = Profile.Selection()
    selection.queues = [.dispatchQueue(DispatchQueueID(2))]
    let chosen = Profile(of: made.trace, selection: selection).samples.count
    let queues = Dictionary(uniqueKeysWithValues: made.trace.blocks.map { ($0.id.rawValue, $0.queue?.rawValue) })
    let byHand = made.samples.count { sample in
      made.runs.contains { run in
        run.thread == sample.thread && run.began <= sample.time && sample.time <= run.ended && queues[run.work] == 2
      }
    }
    #expect(chosen == byHand, "seed \(seed)")
  }
}
