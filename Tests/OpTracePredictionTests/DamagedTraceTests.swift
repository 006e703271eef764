import Foundation
import OpTraceModel
import OpTracePrediction
import TestSupport
import Testing

/// Sample traces with missing lines, repeated lines or wrong times. A prediction may be wrong, and says so. Nothing
/// traps, and ranges stay valid.
@Suite("Predictions of damaged traces")
struct DamagedTraceTests {
  static let samples: [URL] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("traces")
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.filter { $0.pathExtension == "optrace" }.sorted { $0.path < $1.path }
  }()

  @Test("there are samples") func thereAre() { #expect(Self.samples.count >= 18) }

  private enum Damage: Int, CaseIterable { case missing, twice, otherTime, hugeTime, otherNumber }

  /// The lines of a trace, some of them changed.
  private func damaged(_ lines: [Substring], _ generator: inout SeededGenerator) -> String {
    let damage = Damage(rawValue: generator.number(0..<Damage.allCases.count)) ?? .missing
    let percent = generator.number(1..<20)
    var result = ""
    for line in lines {
      guard line.first?.isNumber == true, generator.chance(percent) else {
        result += line + "\n"
        continue
      }
      let words = line.split(separator: " ", maxSplits: 1)
      switch damage {
      case .missing: break
      case .twice: result += line + "\n" + line + "\n"
      case .otherTime: result += "\(generator.number(0..<3_000_000_000)) \(words.last ?? "")\n"
      case .hugeTime: result += "\(generator.chance(50) ? Int64.max : Int64.min / 2) \(words.last ?? "")\n"
      case .otherNumber:
        result += line.replacing("#\(generator.number(1..<9))", with: "#\(generator.number(1..<40))") + "\n"
      }
    }
    return result
  }

  @Test("nothing traps, and every range contains its likely value", arguments: samples)
  func nothingTraps(_ file: URL) throws {
    let lines = TraceText.string(try TraceReader.events(path: file.path)).split(separator: "\n")
    var predicted = 0
    for seed in 1...30 {
      var generator = SeededGenerator(seed)
      guard let events = try? TraceText.parse(damaged(lines, &generator)) else { continue }
      let trace = TraceBuilder.build(events)
      guard let predictor = try? Predictor(trace, processors: 2) else { continue }
      let parser = ChangeParser(trace)
      let options: [(ChangeOption, String)] =
        trace.queues.prefix(2).map { (.limit, "\($0.title)=1") }
        + trace.operations.prefix(1).map { (.faster, "\($0.className)=0.1") } + [(.without, "*>*"), (.threads, "1")]
      for (option, value) in options {
        guard let change = try? parser.parse(option, value) else { continue }
        let prediction = predictor.predict([change])
        #expect(prediction.neverEnds.isEmpty || prediction.wall == nil, "seed \(seed), \(change.text)")
        if let wall = prediction.wall {
          #expect(0 <= wall.low && wall.low <= wall.likely && wall.likely <= wall.high, "seed \(seed), \(change.text)")
        }
        predicted += 1
      }
      #expect(predictor.suggestions(atMost: 2).count <= 2)
    }
    #expect(predicted > 20)
  }
}
