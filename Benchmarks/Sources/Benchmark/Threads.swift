import BenchmarkSupport

/// Many threads that record at once: what one event costs each of them, against a single thread.
enum Threads {
  static func run(_ context: Context) throws -> [Row] {
    let numbers = [1, 2, 4, 16, 64]
    let total = context.amount(6_400_000, short: 64_000)
    let taken = try interleaved(numbers, rounds: context.rounds) { threads in
      try context.measure(["threads", "\(total / threads)", context.file("threads.optrace"), "\(threads)"])
    }
    func cost(_ threads: Int) -> [Double] { (taken[threads] ?? []).map { Double($0.process) / Double(total) } }
    return [Row("threads", "one thread: CPU of the process for an event", Spread(cost(1)), "ns")]
      + numbers.dropFirst().map { threads in
        Row("threads", "\(threads) threads / one", ratios(cost(threads), cost(1)), "x", atMost: 1.25)
      }
  }
}
