/// Whose a value of a trace is.
package enum TraceOwner: Hashable, Sendable {
  case operation(OperationID)
  case queue(QueueID)
  /// What a thread did outside of all operations.
  case thread(ThreadID)
  /// Nobody's in particular: the program's own.
  case program
  /// What others name: it stays in every part of a trace.
  case everybody
}

/// What stands in the lists of a ``Trace``.
package protocol TraceOwned: Sendable {
  var owner: TraceOwner { get }
}

extension TraceOwned {
  /// Of what may belong to an operation.
  static func owner(_ operation: OperationID?, else other: TraceOwner = .program) -> TraceOwner {
    operation.map { .operation($0) } ?? other
  }
}
