import ArgumentParser
import Foundation
import OpTraceModel
import OpTraceTables
import OpTraceText

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write tables as Parquet, CSV or SQLite, or OTLP spans.",
    discussion: """
      The tables are those of 'optrace sql': DIR/TABLE/trace=HASH/part-0.parquet (or .csv), where HASH names the trace; \
      or all in DIR/HASH.sqlite. otlp writes DIR/HASH.jsonl, which a collector's otlpjsonfile receiver reads: a span for \
      each operation.

      You can export any number of traces, in one call or in many. A trace that has not changed since its last export is not \
      written again. A file is never written in part, and a trace is complete when its part of the table 'traces' exists. A \
      trace that cannot be read is reported, and the others are written.

      Example: optrace export runs/*.optrace -o lake --format parquet
      """)

  @Argument(help: TraceInput.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var traces: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder to write into; it is made where there is none.", valueName: "dir"),
    completion: .directory)
  var output: String

  @Option(help: ArgumentHelp("What to write: parquet, csv, otlp or sqlite.", valueName: "format"))
  var format = ExportFormat.parquet

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if traces.isEmpty { throw ValidationError("Missing a trace: optrace export TRACE… -o DIR.") }
    if output == "-" || output.isEmpty { throw ValidationError("-o takes a folder: an export is many files.") }
    if traces.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("'-' is named twice: standard input can be read once.")
    }
  }

  func run() throws {
    let folder = ExportFolder(path: output, format: format)
    var failed: ExitStatus?
    let copies = RunCopies(traces, unpacking: limit.unpacker)
    for path in traces {
      if let (hash, later) = copies.later(than: path) {
        tell(TraceInput(path: path, limit: limit), hash, "the same run as '\(printable(later))', which is later")
        continue
      }
      let input = TraceInput(path: path, limit: limit)
      do {
        if try !export(input, into: folder) { failed = failed ?? .badInput }
      } catch let failure as Failure where traces.count > 1 && failure.status != .cannotWrite {
        // Export the others all the same.
        Console.error("optrace: \(failure.message)")
        failed = failed ?? failure.status
      }
    }
    if let failed { throw failed }
  }

  /// False: the trace is damaged, and what is left of it was written.
  private func export(_ input: TraceInput, into folder: ExportFolder) throws -> Bool {
    // Taken before reading, so that what is written meanwhile makes the next call export it again.
    let location = try input.location()
    let changed = stat.changed(location)
    if changed != nil {
      let header: TraceHeader
      do throws(TraceError) {
        header = try TraceReader.header(path: location, unpacking: limit.unpacker)
      } catch {
        throw input.failure(error)
      }
      if folder.has(header, changed: changed) {
        tell(input, header.hash, "there already")
        return true
      }
    }
    let read = try input.read()
    let source = TableSource(read.trace)
    let result = try withProgress("exporting \(input.name)") {
      try folder.write(source, changed: changed) { Console.note("\(input.name): \($0)") }
    }
    if case .written(let bytes) = result {
      tell(input, source.hash, "\(counted(read.trace.operations.count, "operation")), \(counted(bytes, "byte"))")
    }
    return !read.trace.loss.isDamaged
  }

  /// Reports the export. The files are there, even if standard output is closed.
  private func tell(_ input: TraceInput, _ hash: String, _ what: String) {
    try? Output.standard.write("\(printable(input.path)): trace \(hash), \(what)\n")
  }
}
