/// The numbers of the fields that are written, by message, as in Perfetto's `protos/perfetto/trace`.
enum PerfettoField {
  enum Trace {
    static let packet: UInt64 = 1
  }

  enum Packet {
    static let clockSnapshot: UInt64 = 6
    static let timestamp: UInt64 = 8
    static let sequence: UInt64 = 10
    static let trackEvent: UInt64 = 11
    static let internedData: UInt64 = 12
    static let sequenceFlags: UInt64 = 13
    static let defaults: UInt64 = 59
    static let trackDescriptor: UInt64 = 60
  }

  enum ClockSnapshot {
    static let clock: UInt64 = 1
    static let primaryClock: UInt64 = 2
  }

  enum Clock {
    static let id: UInt64 = 1
    static let timestamp: UInt64 = 2
    static let isIncremental: UInt64 = 3
  }

  enum Defaults {
    static let trackEvent: UInt64 = 11
    static let clock: UInt64 = 58
  }

  enum InternedData {
    static let categories: UInt64 = 1
    static let eventNames: UInt64 = 2
    static let argumentNames: UInt64 = 3
    static let argumentTexts: UInt64 = 29
  }

  enum InternedString {
    static let id: UInt64 = 1
    static let text: UInt64 = 2
  }

  enum TrackDescriptor {
    static let uuid: UInt64 = 1
    static let name: UInt64 = 2
    static let process: UInt64 = 3
    static let thread: UInt64 = 4
    static let parent: UInt64 = 5
    static let counter: UInt64 = 8
  }

  enum Counter {
    static let unit: UInt64 = 3
    /// `UNIT_SIZE_BYTES`
    static let bytes: UInt64 = 3
  }

  enum Process {
    static let pid: UInt64 = 1
    static let name: UInt64 = 6
  }

  enum Thread {
    static let pid: UInt64 = 1
    static let tid: UInt64 = 2
    static let name: UInt64 = 5
  }

  enum TrackEvent {
    static let category: UInt64 = 3
    static let argument: UInt64 = 4
    static let type: UInt64 = 9
    static let internedName: UInt64 = 10
    static let track: UInt64 = 11
    static let name: UInt64 = 23
    static let counterValue: UInt64 = 30
    /// The variants of `flow_ids` (47) and `terminating_flow_ids` (48) that take only as many bytes as a number needs,
    /// rather than always eight. Newer writers use the others, because their ids are large; every reader knows both.
    static let flow: UInt64 = 36
    static let endingFlow: UInt64 = 42
  }

  enum Argument {
    static let internedName: UInt64 = 1
    static let flag: UInt64 = 2
    static let unsigned: UInt64 = 3
    static let signed: UInt64 = 4
    static let double: UInt64 = 5
    static let text: UInt64 = 6
    static let name: UInt64 = 10
    static let entry: UInt64 = 11
    static let internedText: UInt64 = 17
  }
}

/// The type of a track event.
enum PerfettoEventType: UInt64 {
  case sliceBegins = 1
  case sliceEnds = 2
  case instant = 3
  case counter = 4
}
