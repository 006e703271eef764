import OpTraceModel
import OpTraceText

/// Assembles packets and passes them on. They form one sequence, whose first packet contains everything that lets the
/// others be small.
struct PerfettoPackets: ArgumentSink {
  private typealias Field = PerfettoField

  private enum Constant {
    static let events: UInt64 = 1
    /// Tracks are in another sequence: the engine takes the thread that a sequence describes last for the thread that
    /// writes the sequence, and makes an argument of it.
    static let tracks: UInt64 = 2
    /// A clock of the sequence's own; the ids of such clocks begin with 64.
    static let ownClock: UInt64 = 64
    static let bootClock: UInt64 = 6
    static let wallClock: UInt64 = 1
    static let stateCleared: UInt64 = 1
  }

  private let writer: ByteWriter
  /// The number of sequences before these, of other traces.
  private let sequences: UInt64
  private var time: Nanoseconds = 0
  private var usualTrack: UInt64 = 0
  private var names = PerfettoInterning()
  private var texts = PerfettoInterning()
  /// The texts that get their numbers in the packet being assembled.
  private var interned = ProtobufMessage()
  private var packetOffset = 0
  private var eventOffset = 0
  /// The packet being assembled.
  var message = ProtobufMessage()

  /// The number of sequences that a trace has.
  private static let sequencesOfTrace: UInt64 = 3

  /// `index`: how many traces there are before, in the same file.
  init(_ writer: ByteWriter, index: Int) {
    self.writer = writer
    sequences = UInt64(index) * Self.sequencesOfTrace
  }

  func check() throws { try writer.check() }

  // MARK: Head

  /// Writes the clocks, the defaults, and the texts that every file has. `start` is the time that is shown as zero.
  /// `wallClock` is the time of the recorder's start in nanoseconds since 1970; 0: not stated.
  mutating func head(usualTrack: UInt64, start: Nanoseconds, wallClock: UInt64) {
    time = start
    self.usualTrack = usualTrack
    openPacket()
    message.number(Field.Packet.sequenceFlags, Constant.stateCleared)
    message.message(Field.Packet.clockSnapshot) {
      $0.clock(Constant.bootClock)
      let (wall, overflow) = Int64(clamping: wallClock).addingReportingOverflow(start)
      if wallClock > 0, wall > 0, !overflow { $0.clock(Constant.wallClock, at: UInt64(wall)) }
      // Each time is relative to the one before.
      $0.clock(Constant.ownClock, isIncremental: true)
      $0.number(Field.ClockSnapshot.primaryClock, Constant.bootClock)
    }
    message.message(Field.Packet.defaults) {
      $0.number(Field.Defaults.clock, Constant.ownClock)
      $0.message(Field.Defaults.trackEvent) { $0.number(Field.TrackEvent.track, usualTrack) }
    }
    for category in TimelineCategory.allCases {
      interned.entry(Field.InternedData.categories, category.number) {
        $0.text(Field.InternedString.text, category.text)
      }
    }
    for name in ArgumentName.allCases {
      interned.entry(Field.InternedData.argumentNames, name.number) { $0.text(Field.InternedString.text, name.text) }
    }
    closePacket()
  }

  mutating func track(_ uuid: UInt64, _ body: (inout ProtobufMessage) -> Void) {
    openPacket(Constant.tracks)
    message.message(Field.Packet.trackDescriptor) {
      $0.number(Field.TrackDescriptor.uuid, uuid)
      body(&$0)
    }
    closePacket()
  }

  /// Writes a packet of another sequence.
  mutating func packet(_ sequence: UInt64, _ body: (inout ProtobufMessage) -> Void) {
    openPacket(sequence)
    body(&message)
    closePacket()
  }

  // MARK: Events

  /// Begins an event. Its parts follow, then ``close()``. Events must come in the order of time.
  mutating func open(_ type: PerfettoEventType, track: UInt64, at time: Nanoseconds) {
    openPacket()
    message.number(Field.Packet.timestamp, UInt64(clamping: time - self.time))
    self.time = time
    eventOffset = message.open(Field.Packet.trackEvent)
    message.number(Field.TrackEvent.type, type.rawValue)
    if track != usualTrack { message.number(Field.TrackEvent.track, track) }
  }

  mutating func close() {
    message.close(eventOffset)
    closePacket()
  }

  mutating func category(_ category: TimelineCategory) {
    message.number(Field.TrackEvent.category, category.number)
  }

  mutating func name(_ name: String) {
    // Perfetto uses this name in the other format.
    let name = name.isEmpty ? "[No name]" : name
    switch names.use(name) {
    case .writtenOut: message.text(Field.TrackEvent.name, TextEscaping.visible(name))
    case .known(let number): message.number(Field.TrackEvent.internedName, number)
    case .new(let number):
      message.number(Field.TrackEvent.internedName, number)
      interned.entry(Field.InternedData.eventNames, number) {
        $0.text(Field.InternedString.text, TextEscaping.visible(name))
      }
    }
  }

  // MARK: Arguments

  private mutating func argument(_ name: ArgumentName, _ body: (inout ProtobufMessage) -> Void) {
    message.message(Field.TrackEvent.argument) {
      $0.number(Field.Argument.internedName, name.number)
      body(&$0)
    }
  }

  mutating func number(_ name: ArgumentName, _ value: Int) {
    argument(name) {
      if value < 0 {
        $0.signed(Field.Argument.signed, Int64(value))
      } else {
        $0.number(Field.Argument.unsigned, UInt64(value))
      }
    }
  }

  mutating func text(_ name: ArgumentName, _ value: String) {
    let use = texts.use(value)
    argument(name) {
      switch use {
      case .writtenOut: $0.text(Field.Argument.text, TextEscaping.visible(value))
      case .known(let number), .new(let number): $0.number(Field.Argument.internedText, number)
      }
    }
    guard case .new(let number) = use else { return }
    interned.entry(Field.InternedData.argumentTexts, number) {
      $0.text(Field.InternedString.text, TextEscaping.visible(value))
    }
  }

  mutating func texts(_ name: ArgumentName, _ values: [(key: String, value: String)]) {
    argument(name) {
      for one in values {
        $0.message(Field.Argument.entry) {
          $0.text(Field.Argument.name, TextEscaping.visible(one.key))
          $0.text(Field.Argument.text, TextEscaping.visible(one.value))
        }
      }
    }
  }

  mutating func flag(_ name: ArgumentName, _ value: Bool) {
    argument(name) { $0.number(Field.Argument.flag, value ? 1 : 0) }
  }

  mutating func microseconds(_ name: ArgumentName, _ value: Nanoseconds) {
    argument(name) { $0.double(Field.Argument.double, Double(value) / 1000) }
  }

  // MARK: Packets

  private mutating func openPacket(_ sequence: UInt64 = Constant.events) {
    message.removeAll()
    packetOffset = message.open(Field.Trace.packet)
    message.number(Field.Packet.sequence, sequences + sequence)
  }

  private mutating func closePacket() {
    if !interned.bytes.isEmpty {
      message.message(Field.Packet.internedData, interned)
      interned.removeAll()
    }
    message.close(packetOffset)
    writer.bytes(message.bytes)
  }
}

extension ProtobufMessage {
  fileprivate mutating func clock(_ id: UInt64, at time: UInt64 = 0, isIncremental: Bool = false) {
    message(PerfettoField.ClockSnapshot.clock) {
      $0.number(PerfettoField.Clock.id, id)
      $0.number(PerfettoField.Clock.timestamp, time)
      if isIncremental { $0.number(PerfettoField.Clock.isIncremental, 1) }
    }
  }

  fileprivate mutating func entry(_ field: UInt64, _ number: UInt64, _ body: (inout Self) -> Void) {
    message(field) {
      $0.number(PerfettoField.InternedString.id, number)
      body(&$0)
    }
  }
}

// The numbers of interned texts begin with 1.
extension TimelineCategory {
  fileprivate var number: UInt64 { UInt64(rawValue) + 1 }
}

extension ArgumentName {
  fileprivate var number: UInt64 { UInt64(rawValue) + 1 }
}

/// Interns texts: a text is in the file once and is then referred to by its number.
///
/// A text is written in full at its first use, and gets its number at the second: a text that occurs only once would
/// cost more with a number than without. At most 131,072 texts are kept.
struct PerfettoInterning {
  enum Use: Equatable {
    case writtenOut
    case known(UInt64)
    /// The text is known from now on.
    case new(UInt64)
  }

  private static let most = 1 << 16
  private var once: Set<String> = []
  private var numbers: [String: UInt64] = [:]

  mutating func use(_ text: String) -> Use {
    if let number = numbers[text] { return .known(number) }
    if numbers.count < Self.most, once.remove(text) != nil {
      let number = UInt64(numbers.count + 1)
      numbers[text] = number
      return .new(number)
    }
    if once.count == Self.most { once.removeAll(keepingCapacity: true) }
    once.insert(text)
    return .writtenOut
  }
}
