import OpTraceFormat

/// Puts the looks at all threads together from the records of single ones. The newest whole one counts.
struct ThreadSnapshots {
  private var last: ThreadSnapshot?
  /// Seen since that one's end.
  private var seen: [SeenThread] = []
  private var lastTime: Nanoseconds = 0

  /// - Parameter last: the look before those that follow.
  init(after last: ThreadSnapshot? = nil) { self.last = last }

  mutating func seen(_ thread: UInt32, _ word1: UInt64, _ word2: UInt64, _ time: Nanoseconds) {
    let owner = UInt32(truncatingIfNeeded: word1 >> 32 & 0xFF_FFFF)
    let call = Int(word2 >> 48 & 0xFFF)
    let lock = word2 & BlockingFields.addresses
    seen.append(
      SeenThread(
        thread: ThreadID(thread), state: SeenThread.State(rawValue: UInt8(word1 >> 56 & 0xF)) ?? .unknown,
        isRunning: word1 >> 60 & 1 != 0, cpu: Nanoseconds(word1 & 0xFFFF_FFFF) * 1_000_000,
        call: call == 0 ? nil : call - 1, reason: SleepReason(rawValue: UInt8(word2 >> 60)) ?? .unknown,
        lock: lock == 0 ? nil : lock, owner: owner == 0 ? nil : ThreadID(owner),
        ownerHasEnded: word1 >> 61 & 1 != 0, isTimed: word1 >> 62 & 1 != 0, isStill: word1 >> 63 != 0))
    lastTime = time
  }

  /// Where the thread stood that was told of last.
  mutating func stood(at frame: FrameID, _ thread: UInt32) {
    if seen.last?.thread.rawValue == thread { seen[seen.count - 1].at = frame }
  }

  mutating func ended(_ word: UInt64, _ time: Nanoseconds) {
    var look = ThreadSnapshot(
      time: time, threads: seen, moved: Int(word >> 16 & 0xFFFF), refused: Int(word >> 32 & 0xFFFF),
      isPartial: seen.count < Int(word & 0xFFFF))
    seen = []
    compare(&look)
    last = look
  }

  /// Nil: there was none. A part of one counts where there is nothing else.
  mutating func finish() -> ThreadSnapshot? {
    guard last == nil, !seen.isEmpty else { return last }
    return ThreadSnapshot(time: lastTime, threads: seen, isPartial: true)
  }

  private func compare(_ look: inout ThreadSnapshot) {
    guard let last else { return }
    let before = Dictionary(last.threads.map { ($0.thread, $0.cpu) }, uniquingKeysWith: { $1 })
    for place in look.threads.indices {
      guard let cpu = before[look.threads[place].thread], look.threads[place].cpu >= cpu else { continue }
      look.threads[place].cpuSince = look.threads[place].cpu - cpu
      look.threads[place].since = look.time - last.time
    }
  }
}
