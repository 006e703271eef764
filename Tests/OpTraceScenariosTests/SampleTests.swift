import Foundation
import OpTraceModel
import OpTraceScenarios
import Testing

/// The traces in the folder `traces`.
@Suite("Sample traces")
struct SampleTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("traces")

  private static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".optrace") }.map { String($0.dropLast(".optrace".count)) }.sorted()
  }()

  private static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".optrace")))
  }

  @Test("every scenario has a sample, and every sample has a scenario")
  func complete() throws {
    #expect(Set(Scenario.all.map(\.name)).isSubset(of: Self.names))
    for name in Self.names {
      #expect(Scenario.named(try TraceReader.read(bytes: Self.bytes(name)).header.processName) != nil, "\(name)")
    }
  }

  @Test("each sample is small, complete and valid", arguments: names)
  func valid(name: String) throws {
    let bytes = try Self.bytes(name)
    #expect(bytes.count < 64 * 1024)
    let events = try TraceReader.events(bytes: bytes)
    #expect(TraceValidator.check(events).map(\.description) == [])
    let trace = try TraceReader.read(bytes: bytes)
    #expect(trace.header.isClosed)
    #expect(trace.loss == LossReport())
    let isStuck = name == "deadlock" || name == "photo-import-stuck"
    #expect(trace.operations.allSatisfy { $0.finished != nil } != isStuck)
  }

  @Test("the README of the samples lists each sample with its operations")
  func page() throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent("README.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let named = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    #expect(named.sorted() == Self.names)
    for (row, name) in zip(rows, named) {
      #expect(
        row.contains("`optrace demo \(try TraceReader.read(bytes: Self.bytes(name)).header.processName)"), "\(name)")
      let trace = try TraceReader.read(bytes: Self.bytes(name))
      let titles = Set(trace.operations.map(\.title) + trace.spans.map(\.name))
      for match in row.matches(of: /\*([^*]+)\*/) where !match.1.hasSuffix("…") && match.1 != "and" {
        #expect(titles.contains(String(match.1)), "\(name) has no \(match.1)")
      }
    }
  }
}
