import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
package import OpTraceText

/// Writes a profile for profiler.firefox.com, as its "processed profile" of version 48, which every later one reads and converts.
///
/// Tables by column, a set of them for each thread. Own code, libraries, async callers and the kernel are categories. Source of the format:
/// <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md> and the conversions beside it.
package struct FirefoxExporter {
  private let profile: Profile
  private let writer: ByteWriter

  /// Names and colours of the categories, in the order of ``FirefoxStacks/Category``. A grey one is a must: it is the default.
  private static let categories: [(name: StaticString, color: StaticString)] = [
    ("Other", "grey"), ("Own code", "orange"), ("Libraries", "blue"), ("Async callers", "yellow"), ("Kernel", "brown"),
  ]

  /// O(samples + stacks × depth), and once more for each thread with its own.
  package static func write(_ profile: Profile, to writer: ByteWriter) { Self(profile, writer).write() }

  private init(_ profile: Profile, _ writer: ByteWriter) {
    self.profile = profile
    self.writer = writer
  }

  private func write() {
    var libraries = FirefoxLibraries(profile)
    var stacks = FirefoxStacks(profile)
    let nodes = profile.samples.map { stacks.node(of: $0) }
    var numbers = [Int](repeating: -1, count: stacks.nodes.count)
    writer.text("{\"meta\":")
    writeMeta()
    writer.text(",\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\"threads\":[")
    for (index, thread) in ThreadSamples.all(of: profile).enumerated() {
      writer.text(index == 0 ? "\n" : ",\n")
      let tables = FirefoxThread(
        profile, thread, stacks, nodes: nodes, numbers: &numbers, libraries: &libraries)
      tables.write(to: writer)
    }
    writer.text("\n],\"libs\":[")
    for (index, name) in libraries.names.enumerated() {
      writer.text(index == 0 ? "\n" : ",\n")
      let text = JSONValue.string(name)
      let members: JSONValue = .members([
        "arch": .string(""), "name": text, "path": text, "debugName": text, "debugPath": text,
        "breakpadId": .string(""), "codeId": .null,
      ])
      members.write(to: writer, level: nil)
    }
    writer.text("]}\n")
  }

  private func writeMeta() {
    let period = profile.period > 0 ? profile.period : 1_000_000
    let meta: JSONValue = .members([
      "version": .integer(24), "preprocessedProfileVersion": .integer(48), "processType": .integer(0),
      "product": .string(ProfileWords.name(profile.processName)), "importedFrom": .string("OpTrace"),
      "interval": .number(Double(period) / 1e6), "startTime": .number(Double(profile.startWall) / 1e6),
      "stackwalk": .integer(1), "debug": .bool(false), "symbolicated": .bool(true), "usesOnlyOneStackType": .bool(true),
      "doesNotUseFrameImplementation": .bool(true), "sourceCodeIsNotOnSearchfox": .bool(true),
      "extensions": .members(["length": .integer(0), "baseURL": .array([]), "id": .array([]), "name": .array([])]),
      "sampleUnits": .members([
        "time": .string("ms"), "eventDelay": .string("ms"), "threadCPUDelta": .string("ns"),
      ]),
      "markerSchema": .array([]),
      "categories": .array(
        Self.categories.map {
          .members([
            "name": .string($0.name.description), "color": .string($0.color.description),
            "subcategories": .array([.string("Other")]),
          ])
        }),
    ])
    meta.write(to: writer, level: nil)
  }
}

/// Modules that code is from, each once for all threads.
struct FirefoxLibraries {
  private var numbers: [String: Int] = [:]
  /// In the order of their numbers; the program first.
  private(set) var names: [String] = []

  init(_ profile: Profile) { _ = number(ProfileWords.name(profile.processName)) }

  mutating func number(_ name: String) -> Int {
    let number = numbers.entry(name)
    if number == names.count { names.append(name) }
    return number
  }
}
