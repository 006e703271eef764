import OpTraceKernel
package import OpTraceLive
package import OpTraceModel
package import OpTraceSamples
package import OpTraceText

extension SectionSet {
  /// What the process has in memory, and what was allocated.
  package static let memory = SectionSet([LiveMemory.self])
}

/// Memory at the present, and what was allocated in the last ten seconds.
package struct LiveMemory: LiveSection, Equatable {
  /// Bytes of the process at the last look; nil: it was not looked at in these seconds.
  package private(set) var resident: UInt64?
  /// Of these, bytes that are in no file.
  package private(set) var anonymous: UInt64?
  /// What lives of what was allocated; nil: no allocations are sampled.
  package private(set) var live: Double?
  /// Bytes.
  package private(set) var allocatedPerSecond = 0.0
  /// The function that most of that is charged to.
  package private(set) var function: Profile.Function?

  package init() {}

  /// O(n log n) for n allocations that live or were made in the window.
  package init(of trace: Trace, within window: ClosedRange<Nanoseconds>) {
    guard let memory = trace.memory else { return }
    let reading = memory.readings.last { $0.time <= window.upperBound }
    (resident, anonymous) = (reading?.resident, reading?.anonymous)
    guard memory.refusal == nil else { return }
    live = LiveCurve(memory.allocations).live(at: window.upperBound)
    var selection = Profile.Selection()
    (selection.from, selection.to) = (window.lowerBound, window.upperBound)
    let data = AllocationProfile(of: trace, selection: selection)
    var functions: [Int: Double] = [:]
    var sum = EstimatedBytes()
    for (allocation, sample) in zip(data.allocations, data.profile.samples) {
      var one = EstimatedBytes()
      one.add(size: allocation.size, interval: allocation.interval)
      sum += one
      let stack = data.profile.stacks[sample.stack]
      guard let place = data.profile.chargedFrame(of: stack) else { continue }
      functions[data.profile.frames[stack.frames[place]].function, default: 0] += one.bytes
    }
    allocatedPerSecond = sum.bytes / max(Double(window.upperBound - window.lowerBound) / 1e9, 0.05)
    function = functions.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { data.profile.functions[$0.key] }
  }

  package static func isConcerned(by events: TraceEvents) -> Bool { events.tellOfMemory }

  package static func isConcerned(by trace: Trace) -> Bool { trace.memory != nil }

  package var isEmpty: Bool { resident == nil && live == nil }

  package func tables(_ filter: LiveFilter) -> [FittedTable] {
    var table = FittedTable([
      .init(title: "memory", rank: 0, least: 8), .init(title: "in no file", isNumber: true, rank: 3),
      .init(title: "live", isNumber: true, rank: 0), .init(title: "allocated per s", isNumber: true, rank: 1),
      .init(title: "most in", rank: 2, least: 12),
    ])
    guard !isEmpty, filter.matches([function?.name ?? ""]) else { return [table] }
    func text(_ bytes: Double?) -> String { bytes.map { bytesText($0) } ?? "-" }
    table.add([
      text(resident.map { Double($0) }) + " resident", text(anonymous.map { Double($0) }), text(live),
      text(live == nil ? nil : allocatedPerSecond), function?.name ?? "-",
    ])
    return [table]
  }

  package var members: [JSONValue.Member] {
    func whole(_ bytes: Double?) -> JSONValue { .optional(bytes) { .integer(Int(min(max($0.rounded(), 0), 9e18))) } }
    let value = JSONValue.members([
      "residentBytes": whole(resident.map { Double($0) }), "anonymousBytes": whole(anonymous.map { Double($0) }),
      "liveBytes": whole(live), "allocatedBytesPerSecond": whole(live == nil ? nil : allocatedPerSecond),
      "function": .optional(function) { .string($0.name) }, "file": .optional(function?.file) { .string($0) },
      "line": .optional(function?.line) { .integer($0) },
    ])
    return [.init("memory", isEmpty ? .null : value)]
  }
}
