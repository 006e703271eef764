import Foundation
import OpTraceFormat
import OpTraceModel
import OpTracePage
import OpTracePageParts
import OpTraceText
import OpTraceTimeline

/// The pages of several traces beside each other. Calls between processes link from one page to another.
struct JoinedReports {
  private var traces: [NamedTrace]
  private let outputs: [Output]

  /// Throws ``Failure`` if the pages cannot all be written.
  ///
  /// - Parameter path: the path of the first page.
  init(_ inputs: TraceInputs, _ own: OwnModules, to path: String?) throws {
    guard let path = Output(path: path).path else {
      throw Failure.usage("\(inputs.paths.count) traces are as many pages: use -o FILE")
    }
    outputs = try inputs.paths.indices.map { try inputs.output(Report.file($0 + 1, of: path)) }
    if let special = outputs.first(where: \.isSpecial) {
      throw Failure.usage("'\(printable(special.path ?? ""))' is no file: \(outputs.count) pages need as many")
    }
    traces = try inputs.read()
    for index in traces.indices { own.mark(&traces[index].trace) }
  }

  func write() throws {
    let joined = JoinedTimeline(traces.map(\.trace))
    if joined.calls.isEmpty { Console.note(JoinedNotes.strangers("the pages have no links to each other")) }
    let files = outputs.map { RawPath.parts($0.path ?? "").name }
    let calls = joined.reportCalls(files: files)
    if let full = calls.firstIndex(where: { $0.count == ReportCall.most }) {
      Console.note("the page of \(traces[full].name) has the first \(grouped(ReportCall.most)) of its calls")
    }
    for (index, one) in traces.enumerated() {
      var report = Report.exporter(for: one.trace)
      report.calls = calls[index]
      try outputs[index].writeLong { try report.write(to: $0) }
    }
    try traces.end()
  }
}
