import OpTraceModel
import OpTracePrediction
import Testing
import TestSupport
import Foundation

@Suite struct SampleReplayTests {
  @Test func samples() throws {
    let folder = "traces"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".optrace") {
      let trace = try TraceReader.read(path: folder + "/" + name)
      do {
        let predictor = try Predictor(trace)
        print(name, predictor.recordedWall ?? -1, predictor.replay.wall ?? -1, predictor.replay.errorShare ?? -1, predictor.replay.finishErrorP95Share ?? -1, predictor.replay.reasons, predictor.workload.assumptions)
      } catch { print(name, error) }
    }
  }
  @Test func debug() throws {
    guard let path = ProcessInfo.processInfo.environment["WHATIF_TRACE"] else { return }
    let trace = try TraceReader.read(path: path)
    let predictor = try Predictor(trace)
    let outcome = predictor.predictedTrace([])
    let order = trace.operations.indices.sorted { (trace.operations[$0].finished?.time ?? .max) < (trace.operations[$1].finished?.time ?? .max) }
    func ms(_ t: Nanoseconds?) -> String { t.map { String(format: "%.3f", Double($0) / 1e6) } ?? "-" }
    for p in order.prefix(60) {
      let a = trace.operations[p], b = outcome.operations[p]
      print(a.id, a.title, "enq", ms(a.enqueued?.time), ms(b.enqueued?.time), "ready", ms(a.ready?.time), ms(b.ready?.time), "began", ms(a.began?.time), ms(b.began?.time), "fin", ms(a.finished?.time), ms(b.finished?.time), predictor.workload.jobs[p].latency ?? -1, predictor.workload.jobs[p].wasWoken)
    }
    print(predictor.replay, predictor.workload.assumptions)
  }
}
