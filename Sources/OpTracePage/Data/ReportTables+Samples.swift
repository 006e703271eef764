import OpTracePageParts
import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// What is known about a node of merged stacks besides its function.
struct ReportCallFlags: OptionSet, Hashable {
  let rawValue: Int
  /// An async caller, which was not on any thread's stack.
  static let joined = Self(rawValue: 1)
  /// The system, during a call that the caller made.
  static let kernel = Self(rawValue: 2)
  /// Whatever called the outermost frame that is known.
  static let callersUnknown = Self(rawValue: 4)

  static let names: KeyValuePairs<String, Self> = [
    "joined": joined, "kernel": kernel, "callersUnknown": callersUnknown,
  ]
}

/// The rows of sampled functions and of calls between them. They only grow during the life of a page.
struct SampledRows {
  struct Call: Hashable {
    var caller: Int?
    /// The function. Nil: not known, or what the flags say.
    var function: Int?
    var flags: ReportCallFlags
  }

  /// The rows of functions, whatever the line.
  var functions: [Profile.Function: Int] = [:]
  var calls: [Call: Int] = [:]
}

extension ReportTables {
  /// The most samples that are shown one by one. With more, samples of the same work and stack share a row, and none
  /// has a mark on its thread's lane: at 8 bytes per sample, a page would become large.
  static let mostMarks = 100_000

  /// Adds samples in the order of time, with the work whose code ran. `calls` is the tree of all their stacks. O(n log
  /// n).
  mutating func addSamples(_ trace: Trace, _ lanes: PageLanes) {
    guard !trace.samples.isEmpty else { return }
    let profile = Profile(of: trace)
    let order = profile.samples.indices.sorted {
      let (left, right) = (profile.samples[$0], profile.samples[$1])
      return (left.time, left.thread.rawValue, $0) < (right.time, right.thread.rawValue, $1)
    }
    let isEach = order.count <= Self.mostMarks
    var calls = SampledCalls(profile)
    var groups: [SampledCalls.Group: Int] = [:]
    var rows: [(sample: Int, work: Int?, call: Int, count: Int)] = []
    for index in order {
      let sample = profile.samples[index]
      let work = sample.work.flatMap(trace.workIndex(of:))
      let call = calls.row(of: sample, &self)
      let group = isEach ? rows.count : groups.entry(.init(work: work, call: call))
      if group == rows.count {
        rows.append((index, work, call, 1))
      } else {
        rows[group].count += 1
      }
    }
    for row in rows {
      let sample = profile.samples[row.sample]
      let track = isEach ? lanes.threadTracks[sample.thread].map { Int($0) } : nil
      samples.append(
        // Marks are only visible at a scale at which microseconds are too, and microseconds take half the room.
        [isEach ? Int(sample.time / 1000) : nil, track, row.work, row.call, row.count],
        key: RowKey(Int(sample.time), Int(sample.thread.rawValue)))
    }
  }

  fileprivate mutating func row(of function: Profile.Function) -> Int {
    var key = function
    key.line = nil
    let row = names.sampled.functions.entry(key)
    if row == sampledFunctions.count {
      sampledFunctions.append([
        names.index(of: function.name), function.lineText.map { names.index(of: $0) },
        function.module.map { names.index(of: $0) }, function.isOwn ? ReportFrameFlags.own.rawValue : 0,
      ])
    }
    return row
  }

  fileprivate mutating func row(of call: SampledRows.Call) -> Int {
    let row = names.sampled.calls.entry(call)
    if row == calls.count { calls.append([call.caller, call.function, call.flags.rawValue]) }
    return row
  }
}

/// Finds the rows of a profile's stacks, each of them once.
private struct SampledCalls {
  private let profile: Profile
  /// Samples that share one row, if there are many.
  struct Group: Hashable {
    var work: Int?
    var call: Int
  }

  private struct Key: Hashable {
    var stack: Int
    var isInKernel: Bool
  }

  private var rows: [Key: Int] = [:]

  init(_ profile: Profile) { self.profile = profile }

  /// Returns the row of the innermost function.
  mutating func row(of sample: Profile.Sample, _ tables: inout ReportTables) -> Int {
    let key = Key(stack: sample.stack, isInKernel: sample.isInKernel)
    if let row = rows[key] { return row }
    var row: Int?
    let stack = profile.stacks[sample.stack]
    if stack.isCut { row = tables.row(of: .init(caller: row, function: nil, flags: .callersUnknown)) }
    for (place, frame) in stack.frames.enumerated() {
      let function = tables.row(of: profile.functions[profile.frames[frame].function])
      row = tables.row(of: .init(caller: row, function: function, flags: place < stack.joined ? .joined : []))
    }
    if sample.isInKernel { row = tables.row(of: .init(caller: row, function: nil, flags: .kernel)) }
    let found = row ?? tables.row(of: .init(caller: nil, function: nil, flags: []))
    rows[key] = found
    return found
  }
}
