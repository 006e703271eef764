/// What a record in a trace says. The raw value is the first byte of the record.
///
/// The two high bits of the value tell the record's size, so that a reader skips a kind that it does not know:
///
/// | bits | size |
/// |---|---|
/// | `00` | one word (8 bytes) |
/// | `01` | two words |
/// | `10` | three words |
/// | `11` | variable: the low 16 bits of the second word hold the size in words |
///
/// To add a kind: a case here, a line in ``EventSpec/table``.
public enum EventKind: UInt8, CaseIterable, Sendable {
  // One word.
  case ready = 0x01
  case started = 0x02
  case executionBegan = 0x03
  case executionEnded = 0x04
  case finished = 0x05
  case released = 0x06
  case cancelRequested = 0x07
  case finishedAgain = 0x08
  case startReturned = 0x09
  case waitBegan = 0x0A
  case waitEnded = 0x0B
  case queueWaitBegan = 0x0C
  case queueWaitEnded = 0x0D
  case queueSuspended = 0x0E
  case queueResumed = 0x0F
  case queueCancelledAll = 0x10
  case spanEnded = 0x11
  case queueReleased = 0x12
  case finishSeen = 0x13

  // Two words.
  case time = 0x40
  case threadSwitched = 0x41
  case lost = 0x42
  case operationCreated = 0x43
  case dependencyAdded = 0x44
  case dependencyRemoved = 0x45
  case enqueued = 0x46
  case priorityChanged = 0x47
  case qualityChanged = 0x48
  case limitChanged = 0x49
  case blockBegan = 0x4A
  case blockEnded = 0x4B
  case queueQualityChanged = 0x4C
  case queueMainChanged = 0x4D
  case unblocked = 0x4E

  // Three words.
  case calibration = 0x80
  case blocked = 0x81
  case signalled = 0x82

  // Variable.
  case string = 0xC0
  case operationNamed = 0xC1
  case queueCreated = 0xC2
  case queueRenamed = 0xC3
  case threadNamed = 0xC4
  case finishedWithError = 0xC5
  case mark = 0xC6
  case spanBegan = 0xC7
  case objectNamed = 0xC8

  /// The table's line for this kind.
  public var spec: EventSpec { EventSpec.of(self) }
}

/// The size class in the two high bits of a record's first byte.
public enum RecordSize {
  /// Words in the record, or nil when the second word tells.
  @inlinable
  public static func fixedWords(kind: UInt8) -> Int? {
    let sizeClass = Int(kind >> 6)
    return sizeClass == 3 ? nil : sizeClass + 1
  }
}
