import OpTraceModel

/// A trace's place in its file: where its times and numbers are counted from. A trace that is alone is both the first
/// and the last.
struct TimelinePlace {
  /// The number of traces before it.
  var index = 0
  var isLast = true
  /// The time in the trace that the file shows as zero.
  var origin: Nanoseconds = 0
  /// The number of track uuids that a group takes in Perfetto's format: its own, and one for each counter.
  static let uuidsOfGroup = 1 + CounterValues.Kind.ofWork.count
  /// The same that the counters of the process's memory take, behind those of all groups.
  static let uuidsOfMemory = CounterValues.Kind.ofMemory.count
  /// The numbers that the traces before it have taken.
  var groups = 0
  var tracks = 0
  var uuids = 0
  var arrows = 0
  /// The prefix of the name of each group except the process. Nil: there is no other trace.
  var program: String?
  /// The suffix of the process's name, if another process has the same name.
  var mark = ""
  /// The arrows that leave from a span, and those that arrive at one, by the span's index.
  var leaving: [Int: [CallArrow]] = [:]
  var arriving: [Int: [CallArrow]] = [:]
  /// All arrows between spans of two traces; only the last trace has them.
  var calls: [CallArrow] = []

  /// Returns the place of the next trace.
  func next(after content: TimelineContent) -> TimelinePlace {
    var next = TimelinePlace()
    next.index = index + 1
    let (timeline, trace) = (content.timeline, content.trace)
    next.groups = groups + timeline.groups.count
    // Threads that have samples but no track have a number, too.
    next.tracks = tracks + max(1, timeline.tracks.count + Set(trace.samples.lazy.map(\.thread)).count)
    next.uuids = uuids + timeline.tracks.count + timeline.groups.count * Self.uuidsOfGroup
    if trace.memory != nil { next.uuids += Self.uuidsOfMemory }
    next.arrows = arrows + timeline.arrows.count
    return next
  }
}

/// An arrow from a span that made a call to the span of another trace that served it. Its times are those of the file.
struct CallArrow {
  /// Where a span is drawn.
  struct End {
    var group: Int
    var track: Int
  }
  /// The number of the arrow among all arrows of the file, from 1.
  var number: Int
  var from: End
  var to: End
  var leaves: Nanoseconds
  var arrives: Nanoseconds
  /// Whether the serving span comes first in the file and both begin at once. The arrow then arrives when it ends.
  var isLate: Bool
}
