/// What a timeline shows.
public struct TimelineOptions: Sendable {
  /// Write the details of each slice (ids, class, waits, errors). Some viewers take name and details as one key.
  public var includesArguments = true
  /// The most lanes per queue for each of the two sorts of waiting. A queue that is given 10,000 operations at once
  /// would fill a screen with 10,000 lanes that say the same; the counters still count every one. Waits that never end
  /// are what one looks for in a program that hangs: four times as many are drawn.
  public var waitLanes = 50

  public init() {}
}

/// What was written, to be shown to people and checked by tests.
public struct TimelineCounts: Sendable, Equatable {
  /// Executions of operations.
  public var executions = 0
  /// Waits of operations that are drawn.
  public var waits = 0
  /// Waits that found no lane, see ``TimelineOptions/waitLanes``.
  public var waitsWithoutLane = 0
  /// Blocks, spans, waits of threads, gaps.
  public var details = 0
  /// Dependencies as arrows, one for each whose ends were both started.
  public var arrows = 0
  /// Dependencies that no arrow can show, since the operation that waits was over before the other began.
  public var backwardDependencies = 0
  public var instants = 0
  public var counterValues = 0

  public init() {}

  /// All slices.
  public var slices: Int { executions + waits + details }
}
