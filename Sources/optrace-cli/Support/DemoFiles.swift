#if CLI
  import Foundation
  import OpTraceExport
  import OpTraceGraphviz
  import OpTraceModel

  /// What a demo leaves in its folder.
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

    func makeFolder() throws {
      guard !folder.isEmpty else { return }
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw Failure.cannotWrite(folder, Self.reason(of: error))
      }
    }

    private static func reason(of error: any Error) -> String {
      let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      if let underlying, underlying.domain == NSPOSIXErrorDomain { return optrace_cli.reason(Int32(underlying.code)) }
      return "the folder cannot be made"
    }

    func writeTimeline(of demo: DemoTrace) throws {
      let exporter = ChromeTraceExporter(demo.trace)
      try Output(path: timeline).write { sink in
        try withoutActuallyEscaping(sink) { _ = try exporter.write(to: $0) }
      }
    }

    /// Nil, or why there is no graph and what to do about it: the rest is as good without.
    func writeGraph(of demo: DemoTrace) throws -> String? {
      let picture = GraphPicture(of: demo.trace, options: GraphOptions())
      do {
        let placed = try GraphvizRenderer.layout(picture)
        try Output(path: graph).write(SVGWriter.text(picture, placed))
        return nil
      } catch let error as GraphvizError {
        guard case .missingPlugin = error else { throw Failure(message: printable("\(error)"), status: .bug) }
        return "there is no graph: \(printable("\(error)"))"
      }
    }

    func description(hasGraph: Bool) -> String {
      var rows = [("trace", trace, "optrace summary \(trace)")]
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
#endif
