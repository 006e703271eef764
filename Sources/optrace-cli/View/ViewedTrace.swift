import Foundation
import OpTraceKernel
import OpTraceTimeline
import OpTraceModel

/// Shows a trace in the browser until the user ends it.
struct ViewedTrace {
  /// The path as it is shown to people.
  let name: String
  /// Where it can be read again; nil for a pipe.
  let path: String?
  /// Unpacks it when it is read again.
  var unpacker: TraceUnpacker?
  let opensBrowser: Bool
  /// Whether standard output belongs to the recorded program.
  var sparesOutput = false

  /// Serves the report page until the user ends it. `port`: 0 for any free one.
  func asReport(_ trace: Trace, port: Int) throws {
    let report = try ServedReport(trace, named: name, path: path, unpacker: unpacker)
    let token = AddressToken.make()
    let ending = Ending()
    let server: LocalServer
    do {
      server = try LocalServer(PageSite(token: token, report: report), port: port)
    } catch let failure as Failure {
      throw failure.adding("choose another one with --port, or omit --port to take any free one")
    }
    try present("http://127.0.0.1:\(server.port)/\(token)/", what: "serving the report of \(name) until Ctrl-C")
    _ = ending.wait()
  }

  /// Serves the timeline until Perfetto's page has it.
  func inPerfetto(_ trace: Trace) throws {
    let timeline = try withProgress("writing the timeline of \(name)") { try Self.timeline(of: trace) }
    let ending = Ending()
    let site = PerfettoSite(
      token: AddressToken.make(), name: fileName, timeline: timeline, whenFetched: { ending.finish() })
    let server: LocalServer
    do {
      server = try LocalServer(site, port: PerfettoSite.port)
    } catch let failure as Failure {
      throw failure.adding(
        "Perfetto's page can load from no other port. End the other program (an 'optrace view --perfetto', or Perfetto's "
          + "trace_processor), or write a file with 'optrace timeline' and drop it on the page")
    }
    try present(
      site.address(port: server.port), what: "waiting until Perfetto's page has fetched the timeline of \(name)")
    if ending.wait() == .done { server.finish() }
  }

  private static func timeline(of trace: Trace) throws -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try PerfettoTraceExporter(trace, options: TimelineOptions(rules: .command)).write {
      bytes.append(contentsOf: $0)
    }
    return bytes
  }

  /// The trace's own, with `_` for characters that an address would have to encode.
  private var fileName: String {
    let stem = ((path ?? "trace") as NSString).lastPathComponent.utf8.prefix(64).map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      return isPlain || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: "_")
    }
    return String(decoding: stem, as: UTF8.self) + ".pftrace"
  }

  /// Prints the address alone on its line, for scripts; the message about it goes to standard error.
  private func present(_ address: String, what: String) throws {
    Console.error("optrace: \(what)")
    if sparesOutput { Console.error(address) } else { try Output.standard.write(address + "\n") }
    guard opensBrowser else { return }
    Browser.open(address) { why in
      Console.warning("cannot open a browser (\(printable(why))): open the address above yourself")
    }
  }
}

extension Failure {
  fileprivate func adding(_ advice: String) -> Failure { Failure(message: "\(message); \(advice)", status: status) }
}
