import OpTraceFormat

/// A snapshot of a process's threads that another process took because the recorder did not answer.
package struct OutsideSnapshot: Sendable {
  /// A thread, with the system's ids.
  package struct Thread: Sendable {
    package var systemID: UInt32
    package var name: String
    /// The thread that holds the lock it waits for; 0: none, or not known.
    package var owner: UInt32
    /// The fields of a `seen` record, without the owner.
    var fields: EventFields.ThreadSeen
    /// Innermost first.
    package var frames: [Frame]

    package init(systemID: UInt32, name: String, owner: UInt32, words: (UInt64, UInt64), frames: [Frame]) {
      (self.systemID, self.name, self.owner, self.frames) = (systemID, name, owner, frames)
      fields = EventFields.ThreadSeen(words.0, words.1)
    }
  }

  /// A frame of a stack.
  package struct Frame: Sendable {
    package var image: ImageRecord?
    /// The offset in the image's file; without an image, the address in memory.
    package var offset: UInt64
    package var isGuessed: Bool
    /// The library that the code is from, if that is linked into the image.
    package var library: LinkedLibrary?

    package init(image: ImageRecord?, offset: UInt64, isGuessed: Bool, library: LinkedLibrary? = nil) {
      (self.image, self.offset, self.isGuessed, self.library) = (image, offset, isGuessed, library)
    }
  }

  package var threads: [Thread] = []
  /// Threads that went on while they were read.
  package var moved = 0
  /// Threads for which the system gave only name, state and time.
  package var refused = 0

  package init() {}
}

extension Trace {
  /// Replaces the recorder's last snapshot by this one. Threads get the trace's own numbers, and new numbers if the
  /// trace does not have them. O(threads and their frames + stacks of the trace).
  ///
  /// - Parameter time: when it was taken, on the clock of the trace.
  package mutating func take(_ outside: OutsideSnapshot, at time: Nanoseconds) {
    // The system reuses the ids of ended threads, so the last thread with an id counts.
    var numbers = Dictionary(threads.map { ($0.systemID, $0.id) }, uniquingKeysWith: { $1 })
    var snapshots = ThreadSnapshots(after: snapshot)
    let seen = outside.threads.filter { thread in
      numbers[thread.systemID].map { snapshot?[$0] != nil } ?? false || !isRecorder(thread)
    }
    for thread in seen where numbers[thread.systemID] == nil {
      let id = ThreadID((threads.last?.id.rawValue ?? 0) + 1)
      numbers[thread.systemID] = id
      threads.append(
        ThreadRecord(
          id: id, systemID: thread.systemID, name: thread.name, isMain: thread.systemID == header.processID))
    }
    var table = StackAdder(stacks)
    for thread in seen {
      guard let id = numbers[thread.systemID] else { continue }
      snapshots.seen(id.rawValue, thread.fields, owner: numbers[thread.owner]?.rawValue ?? 0, time)
      if let frame = table.add(thread.frames) { snapshots.noteStack(at: frame, id.rawValue) }
    }
    let counts = EventFields.Looked(
      seen: UInt16(truncatingIfNeeded: seen.count), moved: UInt16(truncatingIfNeeded: outside.moved),
      refused: UInt16(truncatingIfNeeded: outside.refused), request: 0)
    snapshots.ended(counts, time)
    snapshot = snapshots.finish()
    stacks = table.stacks
    end = max(end, time)
  }

  /// Whether it is the recorder's own thread, which sleeps with a timeout. The recorder's snapshots leave it out.
  private func isRecorder(_ thread: OutsideSnapshot.Thread) -> Bool {
    let hasReason = thread.fields.reason != SleepReason.unknown.rawValue
    return thread.name == "optrace" && thread.systemID != header.processID && (thread.fields.timed || !hasReason)
  }
}

/// Adds stacks to a table, with new numbers.
private struct StackAdder {
  private(set) var stacks: StackTable
  private var lastImage: UInt32
  private var lastFrame: UInt32

  init(_ stacks: StackTable) {
    self.stacks = stacks
    lastImage = stacks.images.keys.max() ?? 0
    lastFrame = stacks.lastFrame?.rawValue ?? 0
  }

  /// Adds a stack; returns its innermost frame; nil: the stack is empty.
  mutating func add(_ frames: [OutsideSnapshot.Frame]) -> FrameID? {
    var caller: FrameID?
    for frame in frames.reversed() {
      let address = FrameRecord.Address(
        image: frame.image.flatMap { number(of: $0) }, offset: frame.offset, returns: true)
      lastFrame += 1
      stacks.define(
        FrameRecord(address: address, caller: caller, isGuessed: frame.isGuessed, library: frame.library),
        as: FrameID(lastFrame))
      caller = FrameID(lastFrame)
    }
    return caller
  }

  /// The number of an image. One that the trace has already is reused, because it has the names of its code.
  private mutating func number(of image: ImageRecord) -> UInt32 {
    func isSame(_ other: ImageRecord) -> Bool {
      other.base == image.base && (image.buildID.map { $0 == other.buildID } ?? (other.path == image.path))
    }
    if let known = stacks.images.first(where: { isSame($0.value) }) { return known.key }
    lastImage += 1
    stacks.images[lastImage] = image
    return lastImage
  }
}
