package import OpTraceModel

/// Work, and what goes on on threads, as lanes from left to right, which a part offers: the page's tables name tracks and groups by their
/// indexes here. They are made again each time that the trace has grown. An index may move then, and the page is told where to.
package struct PageLanes: Sendable {
  /// A row of the picture, which may be several lanes high.
  package struct Track: Sendable {
    /// An index in ``PageLanes/groups``.
    package var group: Int
    package var name: String

    package init(group: Int, name: String) { (self.group, self.name) = (group, name) }
  }

  /// The process, or what schedules work.
  package struct Group: Sendable {
    package var name: String
    /// The kind of work that it runs.
    package var kind: WorkKind
    /// Nil: the process, or nobody.
    package var scheduler: SchedulerID?

    package init(name: String, kind: WorkKind, scheduler: SchedulerID?) {
      (self.name, self.kind, self.scheduler) = (name, kind, scheduler)
    }
  }

  /// The tracks of each piece of work, by its index among all work. -1: none.
  package struct WorkTracks: Sendable {
    package var execution: [Int32]
    package var dependencies: [Int32]
    package var slot: [Int32]

    package init(count: Int) {
      execution = .init(repeating: -1, count: count)
      dependencies = execution
      slot = execution
    }
  }

  /// The value of a counter from a time on.
  package struct Count: Sendable {
    package var group: Int
    /// An index in ``PageLanes/counterKinds``.
    package var kind: Int
    package var time: Nanoseconds
    package var value: Int

    package init(group: Int, kind: Int, time: Nanoseconds, value: Int) {
      (self.group, self.kind, self.time, self.value) = (group, kind, time, value)
    }
  }

  /// A moment of the program, or of a queue.
  package struct Instant: Sendable {
    package var time: Nanoseconds
    package var name: String
    package var work: WorkID?
    /// Nil: the program's own.
    package var queue: QueueID?

    package init(time: Nanoseconds, name: String, work: WorkID?, queue: QueueID?) {
      (self.time, self.name, self.work, self.queue) = (time, name, work, queue)
    }
  }

  /// Something that went on inside work, or otherwise on a thread.
  package struct Detail: Sendable {
    package var track: Int32
    package var begin: Nanoseconds
    package var end: Nanoseconds
    package var isOpen: Bool
    /// An index in ``PageLanes/detailKinds``.
    package var kind: Int
    package var name: String
    /// Indexes among all work: what it belongs to, and what sent the signal that ended the wait.
    package var work: Int?
    package var signal: Int?
    package var thread: ThreadID
    /// The stack of the thread at that time.
    package var stack: FrameID?

    package init(
      track: Int32, begin: Nanoseconds, end: Nanoseconds, isOpen: Bool, kind: Int, name: String, work: Int? = nil,
      thread: ThreadID, signal: Int? = nil, stack: FrameID? = nil
    ) {
      (self.track, self.begin, self.end, self.isOpen) = (track, begin, end, isOpen)
      (self.kind, self.name, self.work, self.signal) = (kind, name, work, signal)
      (self.thread, self.stack) = (thread, stack)
    }
  }

  /// When the recording began: the beginning of the picture.
  package var origin: Nanoseconds = 0
  package var groups: [Group] = []
  package var tracks: [Track] = []
  package var threadTracks: [ThreadID: Int32] = [:]
  package var workTracks: WorkTracks
  package var counterKinds: [String] = []
  /// In the order of time.
  package var counters: [Count] = []
  /// In the order of time.
  package var instants: [Instant] = []
  package var detailKinds: [String] = []
  /// The number of details, and each of them, in the order of track and time. They are computed one by one: there may be millions.
  package var detailCount = 0
  package var detail: @Sendable (Int, Trace) -> Detail? = { _, _ in nil }
  /// The waits and tasks that found no room.
  package var waitsWithoutLane = 0
  package var tasksWithoutLane = 0

  /// No lanes.
  package init(of trace: Trace) { workTracks = WorkTracks(count: trace.workCount) }
}
