import Foundation
import OpTraceComparison
import OpTraceFormat
import OpTraceMemory
import OpTraceModel

/// The traces of a comparison, one in memory at a time: only those that a page or a prediction shows are read a second
/// time.
struct ComparedRuns {
  private let inputs: [TraceInput]
  private let baseCount: Int
  /// Traces that cannot be read again, and small traces.
  private var kept: [Int: Trace] = [:]
  private(set) var comparer = Comparer(by: .command)
  /// Whether all have samples of memory.
  private(set) var haveMemory = true
  /// Whether some trace is damaged.
  private(set) var isDamaged = false

  /// - Parameter baseCount: how many of the first inputs belong to the base.
  init(_ inputs: [TraceInput], baseCount: Int) { (self.inputs, self.baseCount) = (inputs, baseCount) }

  /// A trace with fewer operations than this stays in memory.
  private static let smallTrace = 20_000

  /// - Parameter check: throws if a trace cannot be compared.
  mutating func compare(_ check: (Trace, TraceInput) throws -> Void) throws {
    for (index, input) in inputs.enumerated() {
      let trace = try input.read().trace
      try check(trace, input)
      isDamaged = isDamaged || trace.loss.isDamaged
      haveMemory = haveMemory && trace.memory?.allocations.isEmpty == false
      withProgress("comparing \(input.name)") { comparer.add(trace, as: index < baseCount ? .base : .new) }
      if inputs.count == 2 || trace.operations.count < Self.smallTrace || !input.isReadTwice { kept[index] = trace }
    }
  }

  /// The run of a side with the median wall time.
  mutating func typical(_ role: Comparer.Role) throws -> Trace? {
    guard let number = comparer.typicalRun(role) else { return nil }
    let index = role == .base ? number : baseCount + number
    if let trace = kept[index] { return trace }
    let trace = try inputs[index].read().trace
    kept[index] = trace
    return trace
  }

  /// The memory of the typical run of each side; nil: some run has no samples of it.
  mutating func memory() throws -> (base: MemoryReport, new: MemoryReport)? {
    guard haveMemory, let base = try typical(.base).flatMap({ MemoryReport(of: $0) }),
      let new = try typical(.new).flatMap({ MemoryReport(of: $0) })
    else { return nil }
    return (base, new)
  }

  /// `before.optrace → after.optrace`, and how many more there are on each side.
  var title: String {
    func side(_ part: ArraySlice<TraceInput>) -> String {
      guard let first = part.first else { return "" }
      let name = first.path == "-" ? "standard input" : (first.path as NSString).lastPathComponent
      return printable(name) + (part.count > 1 ? " and \(part.count - 1) more" : "")
    }
    return "\(side(inputs.prefix(baseCount))) → \(side(inputs.dropFirst(baseCount)))"
  }
}

extension TraceInput {
  /// Whether it is a file, not a pipe.
  fileprivate var isReadTwice: Bool {
    var status = stat()
    return path != "-" && stat(path.asPath, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
