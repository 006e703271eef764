import OpTracePacked
import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// Where `pack` and `unpack` write: the file that is named, or one beside the trace that does not exist yet.
struct PackTarget {
  let output: Output

  /// - Parameter endings: those that `ending` replaces; any other ending stays before it.
  init(_ input: TraceInput, _ named: String?, endings: [String], ending: String) throws {
    var output: Output
    if let named {
      output = try input.output(named)
    } else if input.path == "-" {
      output = .standard
    } else {
      let location = try input.location()
      let old = endings.filter { location.hasSuffix($0) }.max { $0.count < $1.count } ?? ""
      let path = location.dropLast(old.count) + ending
      guard access(String(path).asPath, F_OK) != 0 else {
        throw Failure.cannotWrite(String(path), "it exists already; name a file with -o")
      }
      output = Output(path: String(path))
    }
    if output.isTerminal { throw Failure.usage("a binary trace is not for a terminal: use -o FILE") }
    output.isPrivate = true
    self.output = output
  }

  /// Writes the file. Throws ``Failure``, also if the trace cannot be read.
  func write(
    of input: TraceInput, doing what: String, _ body: @escaping (TracePacker.Sink) throws -> TracePacker.Report
  ) throws -> TracePacker.Report {
    var report = TracePacker.Report()
    do {
      try output.writeLong(what) { sink in
        report = try body { bytes in try bytes.withUnsafeBytes { try sink($0) } }
      }
    } catch let error as TraceError {
      throw input.failure(error)
    }
    return report
  }

  /// Reports what was written, in one line; what is missing goes to standard error, with status 65. `small` is the
  /// packed size.
  func tell(_ report: TracePacker.Report, of input: TraceInput, small: UInt64?, large: UInt64) throws {
    if let path = output.path {
      let size =
        small.map { "\(counted($0, "byte")), \(percent(Double($0) / Double(max(1, large)))) of \(grouped(large))" }
        ?? counted(large, "byte")
      // The file is complete, even if standard output is closed.
      try? Output.standard.write("\(printable(path)): \(size)\n")
    }
    guard !report.damage.isEmpty else { return }
    input.warn(ofDamage: report.damage)
    throw ExitStatus.badInput
  }
}
