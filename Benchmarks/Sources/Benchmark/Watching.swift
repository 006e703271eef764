import BenchmarkSupport
import Foundation

/// What `optrace top` takes beside a program that works: its share of a processor, and when its first picture is there.
enum Watching {
  static func run(_ context: Context) throws -> [Row] {
    let workload = URL(fileURLWithPath: context.workload).deletingLastPathComponent()
      .appendingPathComponent("RatedWorkload").path
    var rows: [Row] = []
    for (rate, goal) in [(1_000, 1.0), (50_000, 10.0)] {
      let seconds = context.amount(20, short: 4)
      let trace = context.file("top-\(rate).optrace")
      let program = Process()
      program.executableURL = URL(fileURLWithPath: workload)
      program.arguments = [trace, "\(rate)", "\(seconds)"]
      program.standardOutput = Pipe()
      try program.run()
      defer { program.waitUntilExit() }
      // It has its trace, and a past.
      Thread.sleep(forTimeInterval: 1)
      let first = try firstPicture(context.optrace, trace)
      // Ends with the program.
      let child = try context.run(["top", "--json", trace])
      rows.append(
        Row(
          "top", "\(rate) operations a second", child.cpu / child.wall * 100, "%", atMost: goal,
          note: "of a processor, its start included"))
      rows.append(Row("top", "the first picture of it", first, "s", atMost: 0.3))
      rows.append(Row("top", "memory for it", Double(child.peak) / 1e6, "MB"))
    }
    return rows
  }

  /// From the start of the command to its first line, in seconds.
  private static func firstPicture(_ optrace: String, _ trace: String) throws -> Double {
    let (top, pipe) = (Process(), Pipe())
    top.executableURL = URL(fileURLWithPath: optrace)
    top.arguments = ["top", "--json", trace]
    top.standardOutput = pipe
    let begin = DispatchTime.now().uptimeNanoseconds
    try top.run()
    let isThere = !pipe.fileHandleForReading.availableData.isEmpty
    let taken = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    top.terminate()
    top.waitUntilExit()
    guard isThere else { throw Failed(what: "optrace top --json \(trace)") }
    return taken
  }
}
