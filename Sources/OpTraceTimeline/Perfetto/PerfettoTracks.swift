import OpTraceModel
import OpTraceText

/// Numbers the tracks. Those of the lanes come first: they are in nearly every packet, and small numbers take only one
/// byte.
struct PerfettoTracks {
  private typealias Field = PerfettoField

  private let place: TimelinePlace
  private let lanes: UInt64
  private let groups: Int
  /// The track with the most slices, which need not name it.
  let usual: UInt64

  init(_ content: TimelineContent) {
    let timeline = content.timeline
    place = content.place
    lanes = UInt64(place.uuids + timeline.tracks.count)
    groups = timeline.groups.count
    var slices = [Int](repeating: 0, count: timeline.tracks.count)
    for execution in timeline.executions where execution.track >= 0 { slices[Int(execution.track)] += 1 }
    for wait in timeline.waits where wait.track >= 0 { slices[Int(wait.track)] += 1 }
    for detail in timeline.details { slices[Int(detail.track)] += 1 }
    usual = UInt64(place.uuids + (slices.indices.max { slices[$0] < slices[$1] } ?? 0)) + 1
  }

  func uuid(of track: Timeline.TrackIndex) -> UInt64 { UInt64(clamping: place.uuids + Int(track)) + 1 }

  func uuid(ofGroup group: Int) -> UInt64 { lanes + 1 + UInt64(group * TimelinePlace.uuidsOfGroup) }

  func uuid(of counter: CounterValues.Kind, group: Int) -> UInt64 {
    // Those of memory come behind all groups.
    let memory = CounterValues.Kind.ofMemory.firstIndex(of: counter)
    return memory.map { uuid(ofGroup: groups) + UInt64($0) } ?? uuid(ofGroup: group) + 1 + UInt64(counter.rawValue)
  }

  /// Describes the tracks. A queue is a process and a lane is a thread, as in the other format, because viewers know no
  /// other groups. Their ids are small numbers in the order of display.
  func describe(_ content: TimelineContent, _ packets: inout PerfettoPackets) {
    let timeline = content.timeline
    for group in timeline.groups.indices where timeline.groups[group].isShown {
      packets.track(uuid(ofGroup: group)) { message in
        message.message(Field.TrackDescriptor.process) {
          $0.number(Field.Process.pid, UInt64(place.groups + group + 1))
          $0.text(Field.Process.name, TextEscaping.visible(content.groupName(group)))
        }
      }
    }
    for (index, track) in timeline.tracks.enumerated() {
      packets.track(uuid(of: Timeline.TrackIndex(clamping: index))) { message in
        message.number(Field.TrackDescriptor.parent, uuid(ofGroup: track.group))
        message.message(Field.TrackDescriptor.thread) {
          $0.number(Field.Thread.pid, UInt64(place.groups + track.group + 1))
          $0.number(Field.Thread.tid, UInt64(place.tracks + index + 1))
          $0.text(Field.Thread.name, TextEscaping.visible(track.name))
        }
      }
    }
    var counters: Set<UInt64> = []
    for value in content.counters.values {
      let counter = uuid(of: value.kind, group: value.group)
      guard counters.insert(counter).inserted else { continue }
      packets.track(counter) { message in
        let unit = value.kind.unit(of: timeline.groups[value.group].kind)
        message.text(Field.TrackDescriptor.name, "\(value.kind.name) \(unit)" as String)
        message.number(Field.TrackDescriptor.parent, uuid(ofGroup: value.group))
        message.message(Field.TrackDescriptor.counter) {
          if value.kind.isOfMemory { $0.number(Field.Counter.unit, Field.Counter.bytes) }
        }
      }
    }
  }
}
