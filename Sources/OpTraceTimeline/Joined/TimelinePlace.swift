import OpTraceModel

/// Where a trace stands in its file: what its times and numbers are counted from. One that is alone is the first, and the last.
struct TimelinePlace {
  /// How many traces stand before it.
  var index = 0
  var isLast = true
  /// The time of the trace that the file shows as zero.
  var origin: Nanoseconds = 0
  /// How many numbers those before have taken.
  var groups = 0
  var tracks = 0
  var uuids = 0
  var arrows = 0
  /// Before the name of each group but the process; nil: there is no other trace.
  var program: String?
  /// Behind the name of the process, where another one is called the same.
  var mark = ""
  /// Arrows that leave from a span, and that arrive at one, by its index.
  var leaving: [Int: [CallArrow]] = [:]
  var arriving: [Int: [CallArrow]] = [:]
  /// Of the last trace: all arrows between spans of two.
  var calls: [CallArrow] = []

  /// That of the next trace.
  func next(after content: TimelineContent) -> TimelinePlace {
    var next = TimelinePlace()
    next.index = index + 1
    let (timeline, trace) = (content.timeline, content.trace)
    next.groups = groups + timeline.groups.count
    // Threads of samples that have no track have a number, too.
    next.tracks = tracks + max(1, timeline.tracks.count + Set(trace.samples.lazy.map(\.thread)).count)
    next.uuids = uuids + timeline.tracks.count + timeline.groups.count * PerfettoTracks.ofGroup
    next.arrows = arrows + timeline.arrows.count
    return next
  }
}

/// From a span that called to one of another trace that served it. Times are those of the file.
struct CallArrow {
  /// Where a span is drawn.
  struct End {
    var group: Int
    var track: Int
  }
  /// Among all arrows of the file, counted from 1.
  var number: Int
  var from: End
  var to: End
  var leaves: Nanoseconds
  var arrives: Nanoseconds
  /// What served stands first in the file, and both begin at once: the arrow arrives when it ends.
  var isLate: Bool
}
