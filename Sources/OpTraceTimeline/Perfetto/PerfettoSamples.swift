import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

/// Writes samples of processor time, which Perfetto draws as a row below each thread, with a flame graph of what is
/// selected there.
///
/// For the format, see `protos/perfetto/trace/profiling` in <https://github.com/google/perfetto>. Readers leave out
/// frames without a mapping, so each has one. Addresses are not needed if functions have names.
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
  /// The tracks of the sampled threads: those that the slices use, or new ones.
  private var tracks: [ThreadID: UInt64] = [:]

  /// Makes a writer. Nil: nothing was sampled in the time that is shown.
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

  /// Writes the samples. O(samples + frames of all stacks).
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

  /// Adds tracks for threads that have none yet, because nothing is shown on them.
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

  /// Writes the texts, mappings and frames. The numbers of interned items begin with 1.
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
        // Frames with the same mapping and address would be taken for the same frame.
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
