import OpTraceKernel
import OpTraceModel

/// Assembles a profile: stacks, owners and threads, each once.
struct ProfileBuilder {
  let trace: Trace
  private var profile = Profile()
  private var stacks: SampledStacks
  private var owners: [Profile.Owner: Int] = [:]
  private var ownerOfWork: [WorkID: Int] = [:]
  private var ownerOfThread: [ThreadID: Int] = [:]
  private let threads: [ThreadID: ThreadRecord]
  private let schedulers: [SchedulerID: String]

  init(_ trace: Trace) {
    self.trace = trace
    stacks = SampledStacks(trace.stacks)
    threads = Dictionary(trace.threads.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    var schedulers: [SchedulerID: String] = [:]
    for queue in trace.queues { schedulers[.queue(queue.id)] = queue.title }
    for queue in trace.dispatchQueues { schedulers[.dispatchQueue(queue.id)] = queue.title }
    self.schedulers = schedulers
    profile.processName = trace.header.processName
    profile.processID = trace.header.processID
    profile.startWall = trace.header.startWall
  }

  /// A task's stacks around a time, as ``stack(_:of:at:reason:)`` needs them. O(log suspensions).
  private func around(_ task: WorkID?, _ time: Nanoseconds) -> SampledStacks.Around? {
    guard let task, case .task(let row) = trace.workRow(of: task) else { return nil }
    return trace.tasks.withUnsafeBufferPointer { tasks in
      let suspensions = tasks[row].suspensions
      var (low, high) = (0, suspensions.count)
      while low < high {
        let middle = (low + high) / 2
        if suspensions[middle].from.time <= time { low = middle + 1 } else { high = middle }
      }
      return SampledStacks.Around(
        last: low > 0 ? suspensions[low - 1].at : nil, next: low < suspensions.count ? suspensions[low].at : nil)
    }
  }

  /// Adds what a thread, or a task without one, did or waited for.
  mutating func add(
    _ at: FrameID?, on stamp: Stamp, in situation: SampledWork.Situation, isOnThread: Bool = true,
    reason: String? = nil,
    isInKernel: Bool = false, weight: Nanoseconds
  ) {
    let task = isOnThread ? around(situation.task, stamp.time) : nil
    let stack = stacks.stack(at, in: task, reason: reason)
    profile.samples.append(
      Profile.Sample(
        time: stamp.time, thread: stamp.thread, work: situation.works.first, stack: stack, isInKernel: isInKernel,
        weight: weight, span: situation.span))
    profile.ownerOfSamples.append(owner(situation.works.first, stamp.thread))
    if let span = situation.span, profile.spans[span] == nil { profile.spans[span] = trace.span(span)?.name }
    if situation.task != nil { profile.facts.inTasks += 1 }
    let made = stacks.stacks[stack]
    if made.joined > 0 { profile.facts.joined += 1 }
    if at.flatMap({ trace.stacks[$0] }) == nil {
      profile.facts.withoutStack += 1
    } else if made.isCut {
      profile.facts.cut += 1
    }
    if made.isGuessed { profile.facts.guessed += 1 }
    if isInKernel { profile.facts.inKernel += 1 }
    guard profile.threads[stamp.thread] == nil else { return }
    profile.threads[stamp.thread] = Profile.Thread(
      name: name(of: stamp.thread), systemID: threads[stamp.thread]?.systemID ?? 0)
  }

  private func name(of id: ThreadID) -> String {
    guard let thread = threads[id], !thread.name.allSatisfy(\.isWhitespace) else {
      return threads[id]?.isMain == true ? "main thread" : id.description
    }
    return thread.name
  }

  private mutating func owner(_ work: WorkID?, _ thread: ThreadID) -> Int {
    if let work {
      if let known = ownerOfWork[work] { return known }
      if let found = trace.work(work), let kind = trace.kind(of: work) {
        let queue = found.scheduler.flatMap { schedulers[$0] }
        let index = index(of: .init(kind: kind.word, name: found.kind, queue: queue))
        ownerOfWork[work] = index
        return index
      }
    }
    if let known = ownerOfThread[thread] { return known }
    let index = index(of: .init(kind: Profile.Owner.threadKind, name: name(of: thread), queue: nil))
    ownerOfThread[thread] = index
    return index
  }

  private mutating func index(of owner: Profile.Owner) -> Int {
    if let index = owners[owner] { return index }
    profile.owners.append(owner)
    owners[owner] = profile.owners.count - 1
    return profile.owners.count - 1
  }

  /// - Parameter facts: what is known of the trace; the builder adds its own counts.
  consuming func finish(_ facts: Profile.Facts) -> Profile {
    let counted = profile.facts
    profile.facts = facts
    profile.facts.cut = counted.cut
    profile.facts.guessed = counted.guessed
    profile.facts.withoutStack = counted.withoutStack
    profile.facts.inKernel = counted.inKernel
    profile.facts.inTasks = counted.inTasks
    profile.facts.joined = counted.joined
    profile.functions = stacks.code.functions
    profile.frames = stacks.frames
    profile.stacks = stacks.stacks
    return profile
  }
}

extension Profile.Owner {
  /// The ``kind`` of a thread: its code ran outside of work.
  package static let threadKind = "thread"
}
