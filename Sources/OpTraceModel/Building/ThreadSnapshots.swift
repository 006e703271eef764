import OpTraceFormat

/// Assembles snapshots of all threads from the records of single threads. The newest complete snapshot counts.
struct ThreadSnapshots {
  private var last: ThreadSnapshot?
  /// Threads seen since the end of the last complete snapshot.
  private var seen: [SeenThread] = []
  private var lastTime: Nanoseconds = 0

  /// - Parameter last: the snapshot before the new ones.
  init(after last: ThreadSnapshot? = nil) { self.last = last }

  /// - Parameter owner: the thread that holds what this one waits for; 0: none, or not known.
  mutating func seen(_ thread: UInt32, _ fields: EventFields.ThreadSeen, owner: UInt32, _ time: Nanoseconds) {
    seen.append(
      SeenThread(
        thread: ThreadID(thread), state: SeenThread.State(rawValue: fields.state) ?? .unknown,
        isRunning: fields.running,
        cpu: Nanoseconds(fields.cpu) * 1_000_000, call: fields.call == 0 ? nil : Int(fields.call) - 1,
        reason: SleepReason(rawValue: fields.reason) ?? .unknown, lock: fields.lock == 0 ? nil : fields.lock,
        owner: owner == 0 ? nil : ThreadID(owner), ownerHasEnded: fields.ended, isTimed: fields.timed,
        isStill: fields.still))
    lastTime = time
  }

  /// Sets the stack of the thread that was recorded last.
  mutating func noteStack(at frame: FrameID, _ thread: UInt32) {
    if seen.last?.thread.rawValue == thread { seen[seen.count - 1].at = frame }
  }

  /// A snapshot is complete of which only what has changed since the one before was recorded.
  mutating func ended(_ fields: EventFields.LookedAgain, _ time: Nanoseconds) {
    // Before those, there may be some of a snapshot whose end was overwritten.
    let changes = seen.suffix(Int(fields.seen))
    let changed = Dictionary(changes.map { ($0.thread, $0) }, uniquingKeysWith: { $1 })
    let before = last?.threads ?? []
    var threads = before.compactMap { old -> SeenThread? in
      guard var now = changed[old.thread] else {
        // The comparison below finds these anew.
        var same = old
        (same.cpuSince, same.since, same.before) = (nil, nil, nil)
        return same
      }
      if now.state == .ended { return nil }
      now.before = nil
      return now
    }
    let known = Set(before.map(\.thread))
    threads += changes.filter { !known.contains($0.thread) && $0.state != .ended }
    let unchanged = threads.count { changed[$0.thread] == nil }
    var snapshot = ThreadSnapshot(
      time: time, threads: threads, moved: Int(fields.moved), refused: Int(fields.refused),
      isPartial: changes.count < Int(fields.seen) || unchanged != Int(fields.unchanged))
    seen = []
    compare(&snapshot)
    last = snapshot
  }

  mutating func ended(_ fields: EventFields.Looked, _ time: Nanoseconds) {
    var snapshot = ThreadSnapshot(
      time: time, threads: seen, moved: Int(fields.moved), refused: Int(fields.refused),
      isPartial: seen.count < Int(fields.seen))
    seen = []
    compare(&snapshot)
    last = snapshot
  }

  /// The newest snapshot; nil: there was none. An incomplete one counts if there is no other.
  mutating func finish() -> ThreadSnapshot? {
    guard last == nil, !seen.isEmpty else { return last }
    return ThreadSnapshot(time: lastTime, threads: seen, isPartial: true)
  }

  private func compare(_ snapshot: inout ThreadSnapshot) {
    guard let last else { return }
    let before = Dictionary(last.threads.map { ($0.thread, $0) }, uniquingKeysWith: { $1 })
    for index in snapshot.threads.indices {
      let now = snapshot.threads[index]
      guard let earlier = before[now.thread], now.cpu >= earlier.cpu else { continue }
      let (used, since) = (now.cpu - earlier.cpu, snapshot.time - last.time)
      snapshot.threads[index].cpuSince = used
      snapshot.threads[index].since = since
      guard now.isRunning || now.state == .running, used <= since / 100 else { continue }
      snapshot.threads[index].before =
        earlier.state == .asleep && !earlier.isRunning
        ? .init(
          reason: earlier.reason, lock: earlier.lock, isTimed: earlier.isTimed, at: earlier.at, time: last.time)
        : earlier.before
    }
  }
}
