import OpTraceKernel
package import OpTraceModel
package import OpTraceSamples

/// Where memory goes: what was allocated, what lives at a moment, and what grows.
package struct MemoryReport: Sendable {
  /// What was allocated and what lives, together.
  package struct Sums: Sendable {
    package var allocated = EstimatedBytes()
    package var live = EstimatedBytes()

    static func += (left: inout Sums, right: Sums) {
      left.allocated += right.allocated
      left.live += right.live
    }
  }

  /// Each allocation is charged to one function: the innermost of the program's own, which so has what libraries allocate for it; if
  /// there is none, to the innermost.
  package struct FunctionRow: Sendable {
    package var function: Profile.Function
    package var own = Sums()
    /// With all that it called.
    package var total = Sums()
    /// The bytes of it at the peak, with all that it called.
    package var peak = EstimatedBytes()
  }

  package struct TypeRow: Sendable {
    /// Nil: memory that is no object, or is not known.
    package var type: String?
    package var sums = Sums()
  }

  package struct WorkRow: Sendable {
    package var owner: Profile.Owner
    /// How many operations, blocks, tasks or threads have this name in the trace.
    package var units: Int
    package var sums = Sums()
    /// The function that it allocates most in.
    package var function: Profile.Function?
  }

  /// When most lived.
  package struct Peak: Sendable {
    package var time: Nanoseconds
    package var live: EstimatedBytes
  }

  /// What the process has beside what lives, in bytes; nil: not known.
  package struct Process: Sendable {
    package var resident: UInt64?
    package var peakResident: UInt64?
    package var anonymous: UInt64?
    /// What the allocator keeps in memory though nothing lives there: what is in no file, less what lives with the allocator's own words,
    /// less what the process had at the start.
    package var held: Double?
  }

  package struct Point: Sendable {
    package var time: Nanoseconds
    package var resident: UInt64
    package var anonymous: UInt64
    package var live: Double
  }

  /// How it was sampled, without the samples.
  package var record: MemoryRecord
  /// The allocations, in stacks.
  package var data: AllocationProfile
  /// How long it was sampled.
  package var sampled: Nanoseconds
  /// The moment that ``live`` is of.
  package var at: Nanoseconds
  package var all = Sums()
  package var peak: Peak?
  package var process = Process()
  package var timeline: [Point] = []
  /// The most allocated bytes first.
  package var functions: [FunctionRow] = []
  package var types: [TypeRow] = []
  package var work: [WorkRow] = []
  package var threads: [WorkRow] = []
  /// The largest first.
  package var growth: [GrowingSite] = []
  /// Without ``live`` and all that needs it: whether frees were lost, so that nothing is known to live.
  package var processName: String { data.profile.processName }

  /// Nil: no memory was sampled in this trace.
  /// - Parameters:
  ///   - at: what lives is told of this moment; nil: of the end.
  /// - Complexity: O(n log n) for n allocations and pieces of work.
  package init?(of trace: Trace, selection: Profile.Selection = .init(), at: Nanoseconds? = nil) {
    guard var record = trace.memory else { return nil }
    data = AllocationProfile(of: trace, selection: selection)
    record.allocations = []
    self.record = record
    let end = min(selection.to ?? trace.end, trace.end)
    var begin = max(record.began, selection.from ?? record.began)
    // A ring knows all that lived only from some time after it was complete: blocks that live are written again and again.
    if let complete = trace.loss.completeSince, complete > begin { begin = complete + (end - min(complete, end)) / 2 }
    sampled = max(0, end.subtractingReportingOverflow(begin).partialValue)
    self.at = at ?? end
    let curve = LiveCurve(data.allocations)
    addUp(trace, peak: curve.peak)
    timeline = record.readings.map {
      Point(time: $0.time, resident: $0.resident, anonymous: $0.anonymous, live: curve.live(at: $0.time))
    }
    process = Self.process(record, data.allocations, at: self.at)
    if let growth = MemoryGrowth(from: begin, to: Self.beforeExit(curve, from: begin, to: end)) {
      self.growth = growth.sites(data, MemorySites(data.profile))
    }
  }

  /// A program that returns from `main` may free at once what gathered all the time: then growth ends shortly before.
  private static func beforeExit(_ curve: LiveCurve, from begin: Nanoseconds, to end: Nanoseconds) -> Nanoseconds {
    let before = end - max(0, end.subtractingReportingOverflow(begin).partialValue) / 50
    return curve.live(at: end) < curve.live(at: before) / 2 ? before : end
  }

  // MARK: - Sums

  private struct StackSums {
    var sums = Sums()
    var peak = EstimatedBytes()
  }

  private mutating func addUp(_ trace: Trace, peak time: Nanoseconds?) {
    let profile = data.profile
    var stacks = [StackSums](repeating: StackSums(), count: profile.stacks.count)
    var owners = [Sums](repeating: Sums(), count: profile.owners.count)
    var ownerStacks = [[Int: Double]](repeating: [:], count: profile.owners.count)
    var threads: [ThreadID: Sums] = [:]
    var types: [String?: Sums] = [:]
    for (index, allocation) in data.allocations.enumerated() {
      var one = Sums()
      one.allocated.add(size: allocation.size, interval: allocation.interval)
      if allocation.lives(at: at) {
        one.live.add(size: allocation.blockSize(at: at), interval: allocation.interval)
      }
      all += one
      let stack = profile.samples[index].stack
      stacks[stack].sums += one
      if let time, allocation.lives(at: time) {
        stacks[stack].peak.add(size: allocation.blockSize(at: time), interval: allocation.interval)
      }
      let owner = profile.ownerOfSamples[index]
      owners[owner] += one
      ownerStacks[owner][stack, default: 0] += one.allocated.bytes
      threads[allocation.thread, default: Sums()] += one
      types[allocation.type, default: Sums()] += one
    }
    functions = Self.functionRows(profile, stacks)
    if let time {
      self.peak = Peak(time: time, live: stacks.reduce(into: EstimatedBytes()) { $0 += $1.peak })
    }
    self.types = types.map { TypeRow(type: $0.key, sums: $0.value) }
      .sorted { ($0.sums.allocated.bytes, $1.type ?? "") > ($1.sums.allocated.bytes, $0.type ?? "") }
    let units = WorkUnits(trace, profile)
    work = owners.indices.map { owner in
      WorkRow(
        owner: profile.owners[owner], units: units.count(of: profile.owners[owner]), sums: owners[owner],
        function: Self.mostCharged(ownerStacks[owner], profile))
    }.sorted { ($0.sums.allocated.bytes, $1.owner.name) > ($1.sums.allocated.bytes, $0.owner.name) }
    self.threads = threads.map { id, sums in
      let name = profile.threads[id]?.name ?? id.description
      return WorkRow(owner: .init(kind: Profile.Owner.threadKind, name: name, queue: nil), units: 1, sums: sums)
    }.sorted { ($0.sums.allocated.bytes, $1.owner.name) > ($1.sums.allocated.bytes, $0.owner.name) }
  }

  private static func functionRows(_ profile: Profile, _ stacks: [StackSums]) -> [FunctionRow] {
    var rows: [Int: FunctionRow] = [:]
    var met: Set<Int> = []
    for (index, sums) in stacks.enumerated() where sums.sums.allocated.samples > 0 {
      let stack = profile.stacks[index]
      met.removeAll(keepingCapacity: true)
      for frame in stack.frames {
        let function = profile.frames[frame].function
        guard met.insert(function).inserted else { continue }
        rows[function, default: FunctionRow(function: profile.functions[function])].total += sums.sums
        rows[function]?.peak += sums.peak
      }
      if let place = profile.chargedFrame(of: stack) {
        rows[profile.frames[stack.frames[place]].function]?.own += sums.sums
      }
    }
    return rows.sorted {
      ($0.value.own.allocated.bytes, $0.value.total.allocated.bytes, $1.key)
        > ($1.value.own.allocated.bytes, $1.value.total.allocated.bytes, $0.key)
    }.map(\.value)
  }

  private static func mostCharged(_ stacks: [Int: Double], _ profile: Profile) -> Profile.Function? {
    var sums: [Int: Double] = [:]
    for (index, bytes) in stacks {
      guard let place = profile.chargedFrame(of: profile.stacks[index]) else { continue }
      sums[profile.frames[profile.stacks[index].frames[place]].function, default: 0] += bytes
    }
    return sums.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { profile.functions[$0.key] }
  }

  // MARK: - The process

  private static func process(_ record: MemoryRecord, _ allocations: [AllocationRecord], at: Nanoseconds) -> Process {
    guard let reading = record.readings.last(where: { $0.time <= at }) ?? record.readings.first else {
      return Process()
    }
    let first = record.readings.first?.anonymous ?? 0
    // What lived when the process was looked at, not now.
    let live = allocations.reduce(0.0) { $1.lives(at: reading.time) ? $0 + $1.heldBytes(at: reading.time) : $0 }
    let held = record.refusal == nil ? max(0, Double(reading.anonymous) - Double(first) - live) : nil
    return Process(
      resident: reading.resident, peakResident: reading.peak, anonymous: reading.anonymous, held: held)
  }
}

/// How many pieces of work have a name.
private struct WorkUnits {
  private var counts: [Profile.Owner: Int] = [:]

  init(_ trace: Trace, _ profile: Profile) {
    var schedulers: [SchedulerID: String] = [:]
    for queue in trace.queues { schedulers[.queue(queue.id)] = queue.title }
    for queue in trace.dispatchQueues { schedulers[.dispatchQueue(queue.id)] = queue.title }
    // Only those that are asked for: names cost time, and most work may have allocated nothing that was sampled.
    let names = Set(profile.owners.map(\.name))
    func note(_ work: some Work, _ kind: WorkKind) {
      guard names.contains(work.kind) else { return }
      let queue = work.scheduler.flatMap { schedulers[$0] }
      counts[Profile.Owner(kind: kind.word, name: work.kind, queue: queue), default: 0] += 1
    }
    guard profile.owners.contains(where: { $0.kind != Profile.Owner.threadKind }) else { return }
    for operation in trace.operations { note(operation, .operation) }
    for block in trace.blocks { note(block, .block) }
    for task in trace.tasks { note(task, .task) }
  }

  func count(of owner: Profile.Owner) -> Int { max(1, counts[owner] ?? 1) }
}
