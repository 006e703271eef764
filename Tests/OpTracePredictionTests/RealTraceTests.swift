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
}
