import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// Readers that block the threads of the pool behind a barrier, which needs one of these threads to begin.
extension DoctorContext {
  /// A warning for each concurrent queue in which nothing runs, whose barrier has waited for longer than
  /// ``DoctorOptions/stallAfter``, while two or more blocks hold threads of the pool in `sync` behind it, and no thread
  /// of the pool is idle. libdispatch adds a thread a second, so the barrier may still begin, until the pool is full.
  /// O(blocks).
  func starvedBarriers() -> [Finding] {
    let barriers = trace.blocks.filter { block in
      block.isBarrier && block.began == nil && block.over == nil && block.runnable != nil && block.way != .sync
        && (block.submitted.map { end - $0.time > options.stallAfter } ?? false)
    }
    // With an idle thread the barrier waits for something else: the queue may be suspended.
    let pool = seenThreads.all.filter { thread($0.thread)?.isOfPool == true }
    let isExhausted = trace.snapshot != nil && !pool.isEmpty && !pool.contains { $0.isIdle(in: trace.stacks) }
    guard !barriers.isEmpty, isExhausted else { return [] }
    let byQueue = Dictionary(grouping: trace.blocks.lazy.filter { $0.over == nil && $0.queue != nil }) { $0.queue }
    return Dictionary(grouping: barriers) { $0.queue }.compactMap { id, waiting -> Finding? in
      guard let id, let queue = trace.dispatchQueue(id), queue.width != 1, !queue.isMain,
        queue.target.flatMap({ trace.dispatchQueue($0) })?.isGlobal ?? true
      else { return nil }
      let members = byQueue[id] ?? []
      let readers = members.filter { $0.way == .sync && $0.began == nil && isOnPoolThread($0) }
      guard !members.contains(where: { $0.began != nil }), readers.count >= 2 else { return nil }
      return starved(waiting[0], behind: readers, in: queue)
    }
    .sorted { $0.title < $1.title }
  }

  private func isOnPoolThread(_ block: BlockRecord) -> Bool {
    block.submitted.flatMap { thread($0.thread) }?.isOfPool == true
  }

  private func starved(
    _ barrier: BlockRecord, behind readers: [BlockRecord], in queue: DispatchQueueRecord
  ) -> Finding {
    let location = location(ofSubmitting: readers[0])
    var finding = Finding(
      .threadPoolStarvation, .warning, ending: .threadGivenBack,
      title: "a barrier of \(name(queue)) has waited for a thread \(since(barrier.submitted?.time ?? end)), and "
        + "\(Self.count(readers.count, "block")) behind it hold the pool's threads in sync\(Self.phrase(location))",
      explanation:
        "The barrier needs a thread of the pool to begin. What comes behind it waits for it, and holds its thread while it waits. "
        + "The pool gets one more thread a second, up to a limit.",
      fix:
        "Do not call sync on \(name(queue)) from many blocks at once\(Self.phrase(location)): protect what it protects with a lock, "
        + "or let fewer blocks run at a time. Or make the barrier sync, which needs no thread of the pool.")
    finding.isPassing = true
    finding.location = location
    finding.evidence.append(
      .init(
        at: barrier.submitted,
        "\(name(barrier.id)), a barrier, was submitted\(Self.phrase(self.location(ofSubmitting: barrier)))"))
    for reader in readers.prefix(3) {
      finding.evidence.append(
        .init(
          at: reader.submitted,
          "\(name(reader.id)) waits for its turn\(Self.phrase(self.location(ofSubmitting: reader)))"))
    }
    return unproven(finding, because: "the pool may still grow")
  }
}
