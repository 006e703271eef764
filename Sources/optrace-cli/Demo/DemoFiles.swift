import Foundation
import OpTrace
import OpTraceKernel
import OpTraceGraph
import OpTraceTimeline
import OpTraceGraphviz
import OpTraceFormat
import OpTraceModel

/// The files that a demo leaves in its folder.
struct DemoFiles {
  let folder: String
  let trace: String
  let graph: String
  let timeline: String

  init(folder: String, name: String) {
    self.folder = folder
    let stem = folder.isEmpty || folder == "." ? name : (folder as NSString).appendingPathComponent(name)
    trace = stem + ".optrace"
    graph = stem + ".svg"
    timeline = stem + ".json"
  }

  /// Where the recorder writes the trace. The recorder needs a text, so if the folder's name is not UTF-8, the path
  /// goes through the folder's descriptor. The folder exists.
  var recorded: String {
    guard trace.unicodeScalars.contains(where: RawPath.isRaw) else { return trace }
    let descriptor = open(folder.asPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return trace }
    return "/proc/\(getpid())/fd/\(descriptor)/\((trace as NSString).lastPathComponent)"
  }

  /// Makes the folder, and those above it, if they do not exist.
  func makeFolder() throws {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    for count in parts.indices {
      let path = parts[...count].joined(separator: "/")
      guard !path.isEmpty, mkdir(path.asPath, 0o777) != 0 else { continue }
      let number = errno
      if isFolder(path) { continue }
      // The parent exists, so "no such file" comes only from a file system that cannot make folders.
      let why = number == ENOENT ? "no folder can be made there" : reason(number == EEXIST ? ENOTDIR : number)
      throw Failure.cannotWrite(folder, why)
    }
  }

  func writeTimeline(of demo: DemoTrace) throws {
    let exporter = ChromeTraceExporter(demo.trace, options: TimelineOptions(rules: .command))
    try Output(path: timeline).writeLong { _ = try exporter.write(to: $0) }
  }

  /// Returns nil, or why there is no graph and what to do about it; the other files are useful without it.
  func writeGraph(of demo: DemoTrace) throws -> String? {
    let picture = GraphPicture(of: demo.trace, options: GraphOptions(rules: .command))
    do {
      let placed = try withProgress("laying out the graph") { try GraphvizRenderer.layout(picture) }
      try Output(path: graph).write(Array(SVGWriter.text(picture, placed).utf8))
      return nil
    } catch let error as GraphvizError {
      guard error.code == .missingPlugin else { throw Failure(message: printable("\(error)"), status: .bug) }
      return
        "there is no graph: \(printable("\(error)"))\n  afterwards: \(calledCommand) graph \(quoted(demo.path)) -o \(quoted(graph))"
    }
  }

  /// - Parameter next: the command that shows more of the trace.
  func description(of demo: DemoTrace, hasGraph: Bool, next: String) -> String {
    var rows = [("trace", demo.path, "\(calledCommand) \(next) \(quoted(demo.path))")]
    if hasGraph { rows.append(("graph", graph, "open it in a browser")) }
    rows.append(("timeline", timeline, "open https://ui.perfetto.dev, and drop the file on the page"))
    let width = rows.reduce(0) { max($0, terminalWidth(of: printable($1.1))) }
    return rows.map { name, path, hint in
      let path = printable(path)
      let blanks = String(repeating: " ", count: width - terminalWidth(of: path))
      return "\(name.padding(toLength: 8, withPad: " ", startingAt: 0))  \(path)\(blanks)  \(hint)\n"
    }.joined()
  }
}

/// The trace that a demo program left.
struct DemoTrace {
  let path: String
  let trace: Trace

  init(at url: URL, askedFor path: String) throws {
    // If a live trace has that name, ours has a number added to it.
    self.path = url.lastPathComponent == (path as NSString).lastPathComponent ? path : url.path
    do {
      let path = self.path
      trace = try withProgress("reading '\(printable(path))'") { try TraceReader.read(path: path) }
    } catch {
      throw Failure(message: "the trace that was just written cannot be read: \(error)", status: .bug)
    }
  }
}

extension Failure {
  /// Why a demo program was not recorded.
  init(_ error: TraceRecorderError, writing path: String) {
    switch error.code {
    case .notATrace: self = .cannotWrite(path, "it exists and is not a trace")
    case .cannotInstrument, .alreadyInstrumented: self.init(message: printable("\(error)"), status: .cannotRecord)
    default: self = .cannotWrite(path, reason(error.errno))
    }
  }
}
