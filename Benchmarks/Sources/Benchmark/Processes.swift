import BenchmarkSupport
import Foundation

/// Many processes that record at once, on as few processors as there are: every trace has to be whole.
enum Processes {
  static func run(_ context: Context) throws -> [Row] {
    let processes = context.amount(100, short: 8)
    let operations = context.amount(20_000, short: 500)
    let files = (0..<processes).map { context.file("process-\($0).optrace") }
    defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
    let ended = DispatchGroup()
    let taken = Ended()
    for (number, file) in files.enumerated() {
      ended.enter()
      Thread.detachNewThread {
        taken.note(number, try? context.measure(["queue", "traced", "subclass", "\(operations)", "0", file]))
        ended.leave()
      }
    }
    ended.wait()
    let lost = taken.all.values.reduce(0) { $0 + $1.lost }
    // Each begins with as many as a batch holds, unmeasured.
    let made = processes * (operations + min(operations, 1000))
    let read = try files.reduce(0) { try $0 + finished(context, $1) }
    return [
      Row("processes", "processes that record at once", Double(taken.all.count), "", note: "\(made) operations"),
      .gate("processes", "\(processes) at once: records that were lost", Double(lost), "records", atMost: 0),
      .gate(
        "processes", "\(processes) at once: operations that are not in the traces as finished", Double(made - read),
        "operations", atMost: 0),
    ]
  }

  /// What `summary` counts in a trace that has to be whole.
  private static func finished(_ context: Context, _ trace: String) throws -> Int {
    struct Report: Decodable {
      struct States: Decodable { var finished: Int }
      var states: States
    }
    let child = try Child.run([context.optrace, "summary", "--json", trace], keepsOutput: true)
    guard child.status == 0 else { throw Failed(what: "summary (status \(child.status)) of \(trace)") }
    return try JSONDecoder().decode(Report.self, from: child.output).states.finished
  }

  /// Sendable: the lock guards it.
  private final class Ended: @unchecked Sendable {
    private let lock = NSLock()
    private var taken: [Int: Taken] = [:]
    var all: [Int: Taken] { lock.withLock { taken } }
    func note(_ number: Int, _ one: Taken?) { lock.withLock { taken[number] = one } }
  }
}
