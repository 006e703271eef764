import Foundation

/// Ends processes that record at random moments, and compares their traces with what they had done by then:
/// `KillBenchmark [COUNT [SEED]] [--ring MEGABYTES]`, so many processes for each way to end.
///
/// With `--ring` they record into flight recorders, and as many more processes are killed that have filled their ring and then worked
/// steadily for a second: of which everything must be there. It calls itself as the process that records:
/// `KillBenchmark load WAY MICROSECONDS TRACE WITNESS RING-BYTES steady|busy`.
@main
enum KillBenchmark {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 7, arguments[0] == "load", let way = Ending(rawValue: arguments[1]),
      let delay = UInt32(arguments[2]), let ring = Int(arguments[5])
    {
      let witness = try Witness(openingFileAt: arguments[4])
      try Load(trace: arguments[3], witness: witness, ring: ring, isSteady: arguments[6] == "steady")
        .run(until: way, after: delay)
    }
    var ring = 0
    if let index = arguments.firstIndex(of: "--ring") {
      ring = (index + 1 < arguments.count ? Int(arguments[index + 1]) : nil) ?? -1
      arguments.removeSubrange(index..<min(index + 2, arguments.count))
    }
    let count = arguments.isEmpty ? 1000 : Int(arguments[0]) ?? 0
    let seed = arguments.count < 2 ? UInt64.random(in: 0 ... .max) : UInt64(arguments[1]) ?? 0
    guard count > 0, arguments.count <= 2, (0...1024).contains(ring) else {
      FileHandle.standardError.write(Data("usage: KillBenchmark [COUNT [SEED]] [--ring MEGABYTES]\n".utf8))
      exit(64)
    }
    print("seed \(seed)")
    print("ended by   processes       events   witnessed   missing   torn   lost   violations")
    var random = SeededMoments(seed: seed)
    var isGood = true
    let kinds = Ending.allCases.map { ($0, false) } + (ring > 0 ? [(.kill, true)] : [])
    for (way, isSteady) in kinds {
      let name = isSteady ? "a second" : way.name
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-kill-\(getpid())-\(name)")
      var total = Finding()
      // Who works steadily leaves room for others.
      let atOnce = isSteady ? 8 : 1
      var left = count
      while left > 0, total.isGood {
        let rounds = try (0..<min(atOnce, left)).map { number in
          try Round(
            folder: folder.appendingPathComponent("\(number)"), way: way, moment: random.next(), ring: ring << 20,
            isSteady: isSteady)
        }
        for round in rounds { try round.begin() }
        if isSteady { Round.killSteady(rounds) }
        for round in rounds { total.add(try round.end()) }
        left -= rounds.count
      }
      print(total.line(name))
      for problem in total.problems.prefix(5) { print("  \(problem)") }
      guard total.isGood else {
        print("  seed \(seed): the trace is in \(folder.path)")
        isGood = false
        continue
      }
      try FileManager.default.removeItem(at: folder)
    }
    exit(isGood ? 0 : 1)
  }
}

/// How a process ends.
enum Ending: String, CaseIterable {
  case kill, fault, abort, exit

  var name: String {
    switch self {
    case .kill: "SIGKILL"
    case .fault: "SIGSEGV"
    case .abort: "abort"
    case .exit: "_exit"
    }
  }

  static let exitStatus: Int32 = 77
}

/// Microseconds from the first event on: mostly few, when chunks are small and the file grows often; up to 60,000.
/// SplitMix64, so that a seed gives the same moments again.
struct SeededMoments {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt32 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    let part = Double(bits >> 11) / Double(1 << 53)
    return UInt32(60_000 * part * part * part)
  }
}
