package import OpTraceModel

/// How a pool's thread comes to its work.
package enum ThreadStart: Sendable, CaseIterable {
  /// It is a new one.
  case make
  /// It slept.
  case wake
  /// It has just been through with other work.
  case handover
}

/// What the system takes between the moment at which work could begin and the moment at which it does.
package struct Latencies: Sendable, Equatable {
  /// A new thread is made.
  package var make: Nanoseconds = 0
  /// A sleeping thread is woken.
  package var wake: Nanoseconds = 0
  /// A thread takes the next work after the last.
  package var handover: Nanoseconds = 0
  /// By how much they vary: the mean distance from the middle of their kind.
  package var variation: Nanoseconds = 0

  package init(make: Nanoseconds = 0, wake: Nanoseconds = 0, handover: Nanoseconds = 0) {
    (self.make, self.wake, self.handover) = (make, wake, handover)
  }

  package subscript(_ start: ThreadStart) -> Nanoseconds {
    switch start {
    case .make: make
    case .wake: wake
    case .handover: handover
    }
  }
}
