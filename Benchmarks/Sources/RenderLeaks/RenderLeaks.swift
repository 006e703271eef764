import Foundation
import OpTraceAnalysis
import OpTraceGraph
import OpTraceGraphviz
import OpTraceModel

/// What a process keeps that draws the graph of a trace again and again: `RenderLeaks TRACE [COUNT]`, 1,000 times.
///
/// Three works, each so many times: all of it, only what is Graphviz's (a layout of a picture that is there already), and only
/// what is ours (everything else, with the layout that needs no Graphviz). What memory grows by in the third is our
/// leak. Under `valgrind --leak-check=full` the origins can be found exactly.
@main
enum RenderLeaks {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let path = arguments.first, let count = arguments.count > 1 ? Int(arguments[1]) : 1000, count > 0 else {
      FileHandle.standardError.write(Data("usage: RenderLeaks TRACE [COUNT]\n".utf8))
      exit(64)
    }
    let trace = try TraceReader.read(path: path)
    let picture = GraphPicture(of: trace)
    print(
      "\(picture.nodes.count) nodes, \(picture.edges.count) edges, \(picture.lanes.count) lanes; \(count) renders each")
    try measure("all of it", count) {
      let picture = GraphPicture(of: trace)
      _ = SVGWriter.text(picture, try GraphvizRenderer.layout(picture))
    }
    try measure("Graphviz's layout", count) { _ = try GraphvizRenderer.layout(picture) }
    try measure("ours", count) {
      let picture = GraphPicture(of: trace)
      _ = DOTWriter(picture, for: .placing).text()
      _ = SVGWriter.text(picture, LayeredLayout.layout(picture))
    }
  }

  private static func measure(_ name: String, _ count: Int, _ work: () throws -> Void) throws {
    // What is made once (the session, fonts, caches, the heap's own growth) is no leak.
    for _ in 0..<max(1, count / 10) { try work() }
    let before = residentBytes()
    for _ in 0..<count { try work() }
    let growth = residentBytes() - before
    print(
      String(
        format: "%@ %8d KB more, %8.2f KB a render", name.padding(toLength: 18, withPad: " ", startingAt: 0),
        growth >> 10, Double(growth) / 1024 / Double(count)))
  }

  /// Linux only; 0 elsewhere.
  private static func residentBytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }
}
