import OpTraceAnalysis
import OpTraceModel
import OpTraceText

/// Samples of processor time, which Perfetto draws as a row below each thread, with a flame graph of what is selected there.
///
/// The format: `protos/perfetto/trace/profiling` of <https://github.com/google/perfetto>. A frame without a mapping is left out by readers,
/// so each has one; addresses are not needed where functions have names.
struct PerfettoSamples {
  private enum Field {
    static let defaults: UInt64 = 12
    static let functionNames: UInt64 = 5
    static let frames: UInt64 = 6
    static let callstacks: UInt64 = 7
    static let mappingPaths: UInt64 = 17
    static let mappings: UInt64 = 19
    static let sample: UInt64 = 66
    static let id: UInt64 = 1
  }

  private enum Constant {
    static let sequence: UInt64 = 3
    static let bootClock: UInt64 = 6
    static let stateCleared: UInt64 = 1
    /// `PerfEvents.Counter.SW_TASK_CLOCK`
    static let taskClock: UInt64 = 3
    /// `Profiling.CpuMode`
    static let inKernel: UInt64 = 1
    static let inProgram: UInt64 = 2
  }

  private let profile: Profile
  private let content: TimelineContent
  /// By the samples' threads: their tracks, as the slices have them, or new ones.
  private var tracks: [ThreadID: UInt64] = [:]

  /// Nil: nothing was sampled in the time that is shown.
  init?(_ content: TimelineContent) {
    guard !content.trace.samples.isEmpty else { return nil }
    var selection = Profile.Selection()
    selection.from = content.options.selection.from
    selection.to = content.options.selection.to
    selection.queues = content.options.selection.queues
    selection.classes = content.options.selection.classes
    selection.always = content.options.selection.always
    profile = Profile(of: content.trace, selection: selection)
    self.content = content
    guard !profile.samples.isEmpty else { return nil }
  }

  /// O(samples + frames of all stacks).
  mutating func write(to packets: inout PerfettoPackets) {
    addTracks(&packets)
    packets.packet(Constant.sequence) { message in
      message.number(PerfettoField.Packet.sequenceFlags, Constant.stateCleared)
      message.message(PerfettoField.Packet.defaults) {
        $0.number(PerfettoField.Defaults.clock, Constant.bootClock)
        $0.message(Field.defaults) { self.describeClock(&$0) }
      }
      message.message(PerfettoField.Packet.internedData) { self.intern(&$0) }
    }
    for sample in profile.samples {
      packets.packet(Constant.sequence) { self.write(sample, &$0) }
    }
  }

  /// A thread on whose tracks nothing is shown has none yet.
  private mutating func addTracks(_ packets: inout PerfettoPackets) {
    let place = content.place
    var next = UInt64(place.tracks + content.timeline.tracks.count)
    for (id, thread) in profile.threads.sorted(by: { $0.key < $1.key }) {
      if let track = content.timeline.threadTracks[id] {
        tracks[id] = UInt64(clamping: place.tracks + Int(track)) + 1
        continue
      }
      next += 1
      let number = next
      tracks[id] = number
      packets.track(UInt64.max / 2 + number) { message in
        message.message(PerfettoField.TrackDescriptor.thread) {
          $0.number(PerfettoField.Thread.pid, UInt64(place.groups + 1))
          $0.number(PerfettoField.Thread.tid, number)
          $0.text(PerfettoField.Thread.name, TextEscaping.visible(thread.name))
        }
      }
    }
  }

  private func describeClock(_ message: inout ProtobufMessage) {
    enum Clock {
      static let timebase: UInt64 = 1
      static let period: UInt64 = 1
      static let counter: UInt64 = 4
      static let name: UInt64 = 10
    }
    message.message(Clock.timebase) {
      $0.number(Clock.period, UInt64(clamping: profile.period))
      $0.number(Clock.counter, Constant.taskClock)
      $0.text(Clock.name, "processor time" as StaticString)
    }
  }

  /// Numbers of what is interned begin with 1.
  private func intern(_ message: inout ProtobufMessage) {
    let modules = Dictionary(
      profile.functions.map { ($0.module ?? profile.processName, 0) }, uniquingKeysWith: { first, _ in first }
    ).keys.sorted()
    var mappings: [String: UInt64] = [:]
    for (index, module) in modules.enumerated() {
      let number = UInt64(index + 1)
      mappings[module] = number
      message.message(Field.mappingPaths) {
        $0.number(Field.id, number)
        $0.text(PerfettoField.InternedString.text, TextEscaping.visible(module.isEmpty ? "process" : module))
      }
      message.message(Field.mappings) {
        $0.number(Field.id, number)
        $0.number(Self.mappingPath, number)
      }
    }
    for (index, function) in profile.functions.enumerated() {
      let name = TextEscaping.visible(function.name)
      message.message(Field.functionNames) {
        $0.number(Field.id, UInt64(index + 1))
        $0.text(PerfettoField.InternedString.text, name.isEmpty ? "[No name]" : name)
      }
      message.message(Field.frames) {
        $0.number(Field.id, UInt64(index + 1))
        $0.number(Self.frameFunction, UInt64(index + 1))
        $0.number(Self.frameMapping, mappings[function.module ?? profile.processName] ?? 1)
        // Frames of one mapping and one address are taken for the same.
        $0.number(Self.frameAddress, UInt64(index))
      }
    }
    for (index, stack) in profile.stacks.enumerated() {
      message.message(Field.callstacks) {
        $0.number(Field.id, UInt64(index + 1))
        for frame in stack.frames { $0.number(Self.stackFrame, UInt64(profile.frames[frame].function + 1)) }
      }
    }
  }

  private static let mappingPath: UInt64 = 7
  private static let frameFunction: UInt64 = 2
  private static let frameMapping: UInt64 = 3
  private static let frameAddress: UInt64 = 4
  private static let stackFrame: UInt64 = 2

  private func write(_ sample: Profile.Sample, _ message: inout ProtobufMessage) {
    enum Sample {
      static let processor: UInt64 = 1
      static let pid: UInt64 = 2
      static let tid: UInt64 = 3
      static let stack: UInt64 = 4
      static let mode: UInt64 = 5
    }
    message.number(PerfettoField.Packet.timestamp, UInt64(clamping: sample.time - content.place.origin))
    message.message(Field.sample) {
      $0.number(Sample.processor, 0)
      $0.number(Sample.pid, UInt64(content.place.groups + 1))
      $0.number(Sample.tid, tracks[sample.thread] ?? UInt64(content.place.tracks + 1))
      $0.number(Sample.stack, UInt64(sample.stack + 1))
      $0.number(Sample.mode, sample.isInKernel ? Constant.inKernel : Constant.inProgram)
    }
  }
}
