package import OpTraceModel

/// What came of a simulated run. Times are nanoseconds on the trace's clock, by the places of the jobs.
package struct MachineOutcome: Sendable, Equatable {
  /// ``never`` in place of a time.
  package static let never = Nanoseconds.min

  package var enqueued: [Nanoseconds]
  package var ready: [Nanoseconds]
  package var began: [Nanoseconds]
  package var finished: [Nanoseconds]
  /// The machine's own numbers of threads, from 0; -1: none.
  package var thread: [Int32]
  /// Which pool each thread is of; -1: it is a program's own.
  package var pools: [Int8] = []
  /// How often the order of dependents was a matter of chance.
  package var choices = 0

  init(count: Int) {
    let nothing = [Nanoseconds](repeating: Self.never, count: count)
    (enqueued, ready, began, finished) = (nothing, nothing, nothing, nothing)
    thread = Array(repeating: -1, count: count)
  }

  /// How many operations have finished. O(n).
  package var finishedCount: Int { finished.reduce(0) { $1 == Self.never ? $0 : $0 + 1 } }

  /// From the first enqueueing or begin to the last finish; nil: nothing happened. O(n).
  package var wall: Nanoseconds? {
    var first = Nanoseconds.max
    var last = Nanoseconds.min
    for place in finished.indices {
      for time in [enqueued[place], began[place]] where time != Self.never { first = min(first, time) }
      for time in [enqueued[place], began[place], finished[place]] where time != Self.never { last = max(last, time) }
    }
    return first <= last ? span(first, last) : nil
  }
}
