import OpTraceFormat

/// A snapshot of a process's threads that another process took, as its recorder did not answer.
package struct OutsideSnapshot: Sendable {
  /// A thread, by the system's numbers.
  package struct Thread: Sendable {
    package var systemID: UInt32
    package var name: String
    /// Who has the lock that it waits for; 0: nobody, or not known.
    package var owner: UInt32
    /// The words of a record `seen`, without the owner.
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
    /// As the image's own file has it; without an image, in memory.
    package var offset: UInt64
    package var isGuessed: Bool
    /// The library that it is of, if that is linked into the image.
    package var library: LinkedLibrary?

    package init(image: ImageRecord?, offset: UInt64, isGuessed: Bool, library: LinkedLibrary? = nil) {
      (self.image, self.offset, self.isGuessed, self.library) = (image, offset, isGuessed, library)
    }
  }

  package var threads: [Thread] = []
  /// Threads that went on while they were read.
  package var moved = 0
  /// Threads of which the system gave name, state and time only.
  package var refused = 0

  package init() {}
}

extension Trace {
  /// Replaces the recorder's last snapshot by this one: with the trace's own numbers of threads, and new numbers for threads
  /// that the trace does not have. O(threads and their frames + stacks of the trace).
  /// - Parameter time: when it was, on the clock of the trace.
  package mutating func take(_ outside: OutsideSnapshot, at time: Nanoseconds) {
    // The system gives a number of a thread that has ended to another one: the last counts.
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

  /// The recorder's own thread, which its own snapshots leave out: it sleeps for a time.
  private func isRecorder(_ thread: OutsideSnapshot.Thread) -> Bool {
    let hasReason = thread.fields.reason != SleepReason.unknown.rawValue
    return thread.name == "optrace" && thread.systemID != header.processID && (thread.fields.timed || !hasReason)
  }
}

/// Gives further stacks numbers in a table.
private struct StackAdder {
  private(set) var stacks: StackTable
  private var lastImage: UInt32
  private var lastFrame: UInt32

  init(_ stacks: StackTable) {
    self.stacks = stacks
    lastImage = stacks.images.keys.max() ?? 0
    lastFrame = stacks.lastFrame?.rawValue ?? 0
  }

  /// The innermost frame's; nil: it is empty.
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

  /// An image that the trace has already has the names of its code.
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
