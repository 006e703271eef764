import OpTraceAnalysis
import OpTraceGraph
import OpTraceTimeline
import OpTraceModel
import OpTracePacked
import OpTracePrediction
import OpTraceText

/// What the commands do with a file, on bytes that a fuzzer made up: read, check, sum up, diagnose, draw, export, print.
///
/// Nothing here may trap, hang, or take memory by a length that the bytes claim. The fuzzer's runtime watches over all three.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  #if TEXT
    // Without its first line a text is no text.
    bytes = Array("\(TraceText.signature)\n".utf8) + bytes
  #endif
  guard let events = try? TraceReader.events(bytes: bytes, unpacking: .packed()) else { return 0 }
  _ = TraceValidator.check(events)
  checkText(of: events)
  guard let trace = try? TraceReader.read(bytes: bytes, unpacking: .packed()) else {
    fatalError("it has events, and cannot be read")
  }
  _ = Summary(of: trace)
  let report = DoctorReport(of: DoctorReport.Reading(trace))
  _ = DoctorText(report).text()
  show(trace)
  predict(trace)
  return 0
}

/// What was printed is read again, and prints the same.
private func checkText(of events: TraceEvents) {
  let text = TraceText.string(events)
  guard let parsed = try? TraceText.parse(text) else { fatalError("the text form of a trace cannot be parsed") }
  guard TraceText.string(parsed) == text else { fatalError("the text form of a trace is another one when it is read") }
  guard let again = try? TraceReader.events(bytes: TraceWriter.bytes(parsed)) else {
    fatalError("the binary form of a text cannot be read")
  }
  _ = TraceValidator.check(again)
}

private func predict(_ trace: Trace) {
  guard let predictor = try? Predictor(trace), let change = try? ChangeParser(trace).parse(.without, "*>*") else {
    return
  }
  let whatIf = WhatIf([predictor], scenarios: [[[change]]])
  _ = WhatIfText(whatIf).text
  _ = whatIf.json.bytes
}

private func show(_ trace: Trace) {
  for format in TimelineFormat.all { _ = try? format.exporter(trace).write { _ in } }
  var options = GraphOptions()
  for grouping in GraphOptions.Grouping.allCases {
    options.grouping = grouping
    let picture = GraphPicture(of: trace, options: options)
    _ = DOTWriter(picture).text()
    _ = SVGWriter.text(picture, LayeredLayout.layout(picture))
  }
  options.stuckHops = 1
  _ = DOTWriter(GraphPicture(of: trace, options: options)).text()
}
