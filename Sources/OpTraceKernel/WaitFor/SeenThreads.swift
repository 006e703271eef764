import OpTraceFormat
package import OpTraceModel

/// The last snapshot of the threads that have not moved since.
package struct SeenThreads: Sendable {
  /// When the snapshot was taken; nil: there is none.
  package let time: Nanoseconds?
  /// All of these threads, in the order of the snapshot.
  package let all: [SeenThread]
  private let indexes: [ThreadID: Int]

  /// If a record is closer to the snapshot's end than this, it is not known whether the thread was read before the
  /// record or after it.
  private static let doubt: Nanoseconds = 100_000_000

  /// O(1) without a snapshot, else O(operations + waits + threads).
  package init(_ trace: Trace) {
    guard let snapshot = trace.snapshot else {
      (time, all, indexes) = (nil, [], [:])
      return
    }
    time = snapshot.time
    // What was seen from outside led to the look.
    let doubt = trace.origin == nil ? Self.doubt : 0
    let moved = Self.signs(in: trace, since: snapshot.time.saturating(-doubt))
    all = snapshot.threads.filter { !moved.contains($0.thread) }
    indexes = Dictionary(all.enumerated().map { ($1.thread, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A thread's part of the snapshot; nil: it was not seen, or has gone on since. O(1).
  package subscript(_ thread: ThreadID) -> SeenThread? { indexes[thread].map { all[$0] } }

  /// Threads that recorded anything after a moment.
  private static func signs(in trace: Trace, since time: Nanoseconds) -> Set<ThreadID> {
    var threads = Set<ThreadID>()
    func note(_ stamp: Stamp?) { if let stamp, stamp.time > time { threads.insert(stamp.thread) } }
    for index in trace.operations.indices {
      let operation = trace.operations[index]
      // No event of the operation is later than that.
      guard let last = operation.lastSign ?? operation.released?.time, last > time else { continue }
      for stamp in [operation.enqueued, operation.ready, operation.started, operation.executionBegan] { note(stamp) }
      for stamp in [operation.executionEnded, operation.startReturned, operation.finished, operation.released] {
        note(stamp)
      }
      note(operation.cancelRequested)
      for block in operation.blocks { note(Stamp(max(block.began, block.ended ?? .min), block.thread)) }
    }
    for wait in trace.waits { note(Stamp(max(wait.began, wait.ended ?? .min), wait.thread)) }
    for queue in trace.queues {
      for change in queue.changes.suffix(16) { note(Stamp(change.time, change.thread)) }
    }
    for span in trace.spans {
      note(span.began)
      note(span.ended)
    }
    for block in trace.blocks {
      note(block.submitted)
      note(block.began)
      if let ended = block.ended, let began = block.began { note(Stamp(ended, began.thread)) }
    }
    for task in trace.tasks {
      guard let last = task.lastSign, last > time else { continue }
      note(task.submitted)
      for run in task.runs.suffix(16) { note(Stamp(max(run.began, run.ended ?? .min), run.thread)) }
      for suspension in task.suspensions.suffix(16) { note(suspension.enqueued) }
    }
    for thread in trace.threads { if let last = thread.lastSign { note(Stamp(last, thread.id)) } }
    return threads
  }

  /// Threads that sleep without a timeout until a thread that is known ends or unlocks a lock. If two threads saw
  /// different holders of a lock, the lock was being passed on, so it is left out.
  package var heldUp: [SeenThread] {
    let sleepers = all.filter { seen in
      guard seen.isAsleep, !seen.isTimed, seen.ownerHasEnded || seen.owner != nil else { return false }
      return seen.reason == .join ? seen.owner != nil : seen.reason.isLock && seen.lock != nil
    }
    var owners: [UInt64: Set<ThreadID?>] = [:]
    for seen in sleepers { if let lock = seen.lock { owners[lock, default: []].insert(seen.heldBy) } }
    return sleepers.filter { seen in seen.reason == .join || seen.lock.flatMap { owners[$0]?.count } == 1 }
  }
}

extension SeenThread {
  /// Whether it was in a system call, and not on a processor.
  package var isAsleep: Bool { !isRunning && (state == .asleep || state == .uninterruptible) }

  /// Whether it is idle. That is one of libdispatch's own threads between two pieces of work, with only libdispatch's
  /// code on its stack; or the main thread in `dispatchMain()` (also of an asynchronous `main`), which sleeps in
  /// `sigsuspend` and has nothing more to do.
  package func isIdle(in stacks: StackTable) -> Bool {
    // A libdispatch thread with sources waits for what the program gave it: timers, files, connections, signals.
    guard !reason.hasSources, let images = stacks.imagesWithDispatch(at) else { return false }
    if reason == .signal, images.first(where: { !StackTable.isOfC($0) }).map(StackTable.isOfDispatch) == true {
      return true
    }
    return images.allSatisfy { StackTable.isOfDispatch($0) || StackTable.isOfC($0) }
  }

  /// The thread that holds what this one waits for; nil if that thread has ended.
  package var heldBy: ThreadID? { ownerHasEnded ? nil : owner }
}

extension StackTable {
  fileprivate static func isOfDispatch(_ image: String) -> Bool { image.hasPrefix("libdispatch.") }
  fileprivate static func isOfC(_ image: String) -> Bool {
    ["libc.", "libc-", "libpthread"].contains(where: image.hasPrefix)
  }

  /// The libraries of all frames of a stack, innermost first; nil: one is not known, or none is libdispatch.
  fileprivate func imagesWithDispatch(_ at: FrameID?) -> [String]? {
    let frames = stack(at)
    let images = frames.compactMap { codeName(of: $0) }
    return images.count == frames.count && images.contains(where: Self.isOfDispatch) ? images : nil
  }

  /// Whether a stack has only frames of libdispatch, of the C library, and of the recorder's hooks. O(depth).
  func isOfDispatch(_ at: FrameID?) -> Bool {
    imagesWithDispatch(at)?.allSatisfy { Self.isOfDispatch($0) || Self.isOfC($0) || $0.hasPrefix("libOpTracePreload") }
      ?? false
  }
}
