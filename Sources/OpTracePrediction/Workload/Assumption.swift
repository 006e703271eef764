/// What a prediction assumes because the trace does not say. The texts are for people.
package enum Assumption: Sendable, Hashable, Comparable {
  /// The number of processors, and so of threads in the pools.
  case processors
  /// Bodies wait rather than compute: they do not slow each other down.
  case bodiesDoNotCompete
  /// What waited for a processor in the recorded run is guessed.
  case sharedProcessors
  /// What a thread did between operations is assumed to be the completion block of the last operation before.
  case callbackCauses
  /// What completion blocks wait for is not followed.
  case waitsInCompletions
  /// A thread of the program's own went on right after operations ended, so it is assumed to have waited for them.
  case ownThreadsFollow
  /// Signals come from outside of operations.
  case outsideSignals
  /// Who ends some waits is not known.
  case endsInPool
  /// Only signals that ended a wait are recorded.
  case unseenSignals
  /// Operations that were not over when the trace ended are assumed to end there.
  case cutOperations
  /// The bodies of operations that never ran are assumed to be as long as those of their class.
  case bodiesNotSeen
  /// Blocks of dispatch queues and tasks are not simulated one by one.
  case otherWork
  /// Callbacks of asynchronous operations come as long after their beginning as they did.
  case callbackDelays

  /// One sentence.
  package var sentence: String {
    switch self {
    case .processors:
      "The trace does not say how many processors there were, so the range covers several numbers of pool threads."
    case .bodiesDoNotCompete:
      "The trace does not say how long bodies used a processor: they are assumed to wait, and not to slow each other down."
    case .sharedProcessors:
      "Bodies share the processors when they compute; how long they waited for one in the recorded run is guessed."
    case .callbackCauses:
      "What a pool thread did between operations is assumed to be the completion block of the last operation before."
    case .waitsInCompletions: "Completion blocks that wait for something take as long as they did."
    case .ownThreadsFollow:
      "One of the program's own threads that went on right after an operation ended is assumed to have waited for it."
    case .outsideSignals: "Signals from outside of operations come as long after the wait's beginning as they did."
    case .endsInPool:
      "Who ends some waits of operations is not recorded: each is assumed to need a thread of the pool for that. Record with "
        + "--dispatch to know."
    case .unseenSignals: "Only signals that ended a wait are recorded, so others are not simulated."
    case .cutOperations: "Operations that were not over when the trace ended are assumed to end there."
    case .bodiesNotSeen: "Operations that never ran are assumed to run as long as others of their class."
    case .otherWork:
      "Blocks and tasks are part of what operations do: only blocks that an operation waits for are simulated."
    case .callbackDelays: "Callbacks finish asynchronous operations as long after their beginning as they did."
    }
  }
}
