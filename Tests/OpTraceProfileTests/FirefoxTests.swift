import Foundation
import OpTraceAnalysis
import Testing

@testable import OpTraceProfile

@Suite struct FirefoxTests {
  private func file(_ profile: Profile) throws -> File {
    let bytes = exported { FirefoxExporter.write(profile, to: $0) }
    return try JSONDecoder().decode(File.self, from: Data(bytes))
  }

  @Test func stacksAreReadBack() throws {
    let file = try file(.small)
    #expect(file.meta.preprocessedProfileVersion == 48)
    #expect(file.meta.interval == 10)
    #expect(file.meta.startTime == 1_700_000_000_000)
    #expect(file.threads.map(\.name) == ["main", "worker"])
    #expect(file.threads.map(\.isMainThread) == [true, false])
    #expect(
      file.threads.map(\.stacks) == [
        [
          "start|Libraries main|Own code load|Own code parse^1|Own code",
          "start|Libraries main|Own code load|Own code parse^1|Own code",
          "start|Libraries main|Own code load|Own code parse^1|Own code",
          "[callers not known]|Other free|Libraries",
        ],
        [
          "start|Libraries main|Own code write|Libraries [kernel]|Kernel",
          "refresh|Async callers run|Libraries fetch|Own code",
          "refresh|Async callers run|Libraries fetch|Own code",
        ],
      ])
    #expect(file.threads[0].samples.time == [10, 20, 30, 70])
    #expect(file.threads[0].samples.threadCPUDelta == [10_000_000, 10_000_000, 10_000_000, 10_000_000])
    #expect(file.libs.map(\.name) == ["photos", "libc.so", "[kernel]", "libswift.so"])
  }

  @Test func waitsHaveTheirTimeAsWeight() throws {
    var maker = ProfileMaker(period: 0)
    maker.add("main@App", weight: 1_500_000)
    let samples = try #require(try file(maker.profile).threads.first).samples
    #expect(samples.weightType == "tracing-ms")
    #expect(samples.weight == [1.5])
    #expect(samples.threadCPUDelta == nil)
  }

  @Test(arguments: [Profile.small, .hostile, .broken, Profile()])
  func tablesAreConsistent(profile: Profile) throws {
    let file = try file(profile)
    #expect(file.threads.reduce(0) { $0 + $1.samples.length } == profile.samples.count)
    for thread in file.threads {
      #expect(thread.samples.stack.count == thread.samples.length && thread.samples.time.count == thread.samples.length)
      for (stack, prefix) in thread.stackTable.prefix.enumerated() { #expect(prefix.map { $0 < stack } ?? true) }
      #expect(thread.stackTable.frame.allSatisfy { thread.frameTable.function.indices.contains($0) })
      #expect(thread.frameTable.function.allSatisfy { thread.funcTable.name.indices.contains($0) })
      #expect(thread.funcTable.name.allSatisfy { thread.stringArray.indices.contains($0) })
      #expect(thread.funcTable.resource.allSatisfy { thread.resourceTable.lib.indices.contains($0) })
      #expect(thread.resourceTable.lib.allSatisfy { file.libs.indices.contains($0) })
      #expect(thread.stacks.count == thread.samples.length)
    }
  }
}

/// The parts of the file that the tests read. The names are those of the format.
private struct File: Decodable {
  struct Meta: Decodable {
    var preprocessedProfileVersion: Int
    var interval: Double
    var startTime: Double
  }
  struct Library: Decodable { var name: String }
  var meta: Meta
  var threads: [Thread]
  var libs: [Library]
}

private struct Thread: Decodable {
  struct Samples: Decodable {
    var length: Int
    var stack: [Int?]
    var time: [Double]
    var weight: [Double]?
    var weightType: String
    var threadCPUDelta: [Int64]?
  }
  struct Stacks: Decodable {
    var prefix: [Int?]
    var frame: [Int]
  }
  struct Frames: Decodable {
    enum CodingKeys: String, CodingKey {
      case function = "func"
      case category
      case inlineDepth
    }
    var function: [Int]
    var category: [Int]
    var inlineDepth: [Int]
  }
  struct Functions: Decodable {
    var name: [Int]
    var resource: [Int]
  }
  struct Resources: Decodable { var lib: [Int] }
  var name: String
  var isMainThread: Bool
  var samples: Samples
  var stackTable: Stacks
  var frameTable: Frames
  var funcTable: Functions
  var resourceTable: Resources
  var stringArray: [String]

  /// Each sample as `outer|category inner^depth|category`.
  var stacks: [String] {
    let categories = ["Other", "Own code", "Libraries", "Async callers", "Kernel"]
    return samples.stack.map { leaf in
      var parts: [String] = []
      var stack = leaf
      while let index = stack {
        let frame = stackTable.frame[index]
        let depth = frameTable.inlineDepth[frame]
        let name = stringArray[funcTable.name[frameTable.function[frame]]]
        parts.append("\(name)\(depth > 0 ? "^\(depth)" : "")|\(categories[frameTable.category[frame]])")
        stack = stackTable.prefix[index]
      }
      return parts.reversed().joined(separator: " ")
    }
  }
}
