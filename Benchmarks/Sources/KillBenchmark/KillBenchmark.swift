import Foundation

/// Ends processes that record at random moments, and compares their traces with what they had done by then:
/// `KillBenchmark [COUNT [SEED]]`, so many processes for each way to end.
///
/// It calls itself as the process that records: `KillBenchmark load WAY MICROSECONDS TRACE WITNESS`.
@main
enum KillBenchmark {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 5, arguments[0] == "load", let way = Ending(rawValue: arguments[1]),
      let delay = UInt32(arguments[2])
    {
      try Load(trace: arguments[3], witness: Witness(openingFileAt: arguments[4])).run(until: way, after: delay)
    }
    let count = arguments.isEmpty ? 1000 : Int(arguments[0]) ?? 0
    let seed = arguments.count < 2 ? UInt64.random(in: 0 ... .max) : UInt64(arguments[1]) ?? 0
    guard count > 0, arguments.count <= 2 else {
      FileHandle.standardError.write(Data("usage: KillBenchmark [COUNT [SEED]]\n".utf8))
      exit(64)
    }
    print("seed \(seed)")
    print("ended by   processes       events   witnessed   missing   torn   lost   violations")
    var random = SeededMoments(seed: seed)
    var isGood = true
    for way in Ending.allCases {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-kill-\(getpid())-\(way)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var total = Finding()
      for _ in 0..<count {
        let finding = try Round(folder: folder, way: way, moment: random.next()).run()
        total.add(finding)
        guard finding.isGood else { break }
      }
      print(total.line(way.name))
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
