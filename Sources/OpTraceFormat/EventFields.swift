// Made from EventSpec.table, and not by hand: `make build` makes it anew after a change there.
// Made from sources with the checksum 3320265361-84496.
// swift-format-ignore-file

/// The fields of each kind of event that has some: read from the words of a record, and put into them. What does not fit a
/// field is cut off; a field narrower than its type has its largest value beside it.
package enum EventFields {
  /// The minor version of the format that brought the newest kind or field.
  @inlinable package static var newestVersion: UInt16 { 10 }

  /// `created`
  package struct OperationCreated: EventWords {
    @inlinable package static var kind: EventKind { .operationCreated }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(class: UInt32, coverage: UInt8, async: Bool, ownReady: Bool, age: UInt64) {
      word1 = UInt64(`class`) & 0xFFFF | (UInt64(coverage) & 0xF) << 16 | (async ? 1 << 20 : 0) | (ownReady ? 1 << 21 : 0)
        | (age & 0xFF_FFFF_FFFF) << 24
      word2 = 0
    }

    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
    @inlinable package var coverage: UInt8 { UInt8(truncatingIfNeeded: word1 >> 16 & 0xF) }
    @inlinable package static var largestCoverage: UInt8 { 0xF }
    @inlinable package var async: Bool { word1 >> 20 & 1 != 0 }
    @inlinable package var ownReady: Bool { word1 >> 21 & 1 != 0 }
    @inlinable package var age: UInt64 { word1 >> 24 }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
  }

  /// `named`
  package struct OperationNamed: EventWords {
    @inlinable package static var kind: EventKind { .operationNamed }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(source: UInt32) {
      word1 = (UInt64(source) & 0xFFFF) << 32
      word2 = 0
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var source: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32 & 0xFFFF) }
    @inlinable package static var largestSource: UInt32 { 0xFFFF }
  }

  /// `depends`
  package struct DependencyAdded: EventWords {
    @inlinable package static var kind: EventKind { .dependencyAdded }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(on: UInt32) {
      word1 = UInt64(on)
      word2 = 0
    }

    @inlinable package var on: UInt32 { UInt32(truncatingIfNeeded: word1) }
  }

  /// `undepends`
  package struct DependencyRemoved: EventWords {
    @inlinable package static var kind: EventKind { .dependencyRemoved }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(on: UInt32) {
      word1 = UInt64(on)
      word2 = 0
    }

    @inlinable package var on: UInt32 { UInt32(truncatingIfNeeded: word1) }
  }

  /// `enqueued`
  package struct Enqueued: EventWords {
    @inlinable package static var kind: EventKind { .enqueued }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(queue: UInt32, priority: Int8, qos: UInt8, barrier: Bool) {
      word1 = UInt64(queue) | UInt64(UInt8(bitPattern: priority)) << 32 | UInt64(qos) << 40 | (barrier ? 1 << 48 : 0)
      word2 = 0
    }

    @inlinable package var queue: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var priority: Int8 { Int8(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var qos: UInt8 { UInt8(truncatingIfNeeded: word1 >> 40) }
    @inlinable package var barrier: Bool { word1 >> 48 & 1 != 0 }
  }

  /// `block-began`
  package struct BlockBegan: EventWords {
    @inlinable package static var kind: EventKind { .blockBegan }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(index: UInt32) {
      word1 = UInt64(index)
      word2 = 0
    }

    @inlinable package var index: UInt32 { UInt32(truncatingIfNeeded: word1) }
  }

  /// `block-ended`
  package struct BlockEnded: EventWords {
    @inlinable package static var kind: EventKind { .blockEnded }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(index: UInt32) {
      word1 = UInt64(index)
      word2 = 0
    }

    @inlinable package var index: UInt32 { UInt32(truncatingIfNeeded: word1) }
  }

  /// `priority`
  package struct PriorityChanged: EventWords {
    @inlinable package static var kind: EventKind { .priorityChanged }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(value: Int64) {
      word1 = UInt64(UInt64(bitPattern: value))
      word2 = 0
    }

    @inlinable package var value: Int64 { Int64(bitPattern: word1) }
  }

  /// `qos`
  package struct QualityChanged: EventWords {
    @inlinable package static var kind: EventKind { .qualityChanged }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(value: UInt64) {
      word1 = value
      word2 = 0
    }

    @inlinable package var value: UInt64 { word1 }
  }

  /// `cpu`
  package struct ProcessorTime: EventWords {
    @inlinable package static var kind: EventKind { .processorTime }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(used: UInt64) {
      word1 = used
      word2 = 0
    }

    @inlinable package var used: UInt64 { word1 }
  }

  /// `added`
  package struct Added: EventWords {
    @inlinable package static var kind: EventKind { .added }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(class: UInt32, coverage: UInt8, async: Bool, ownReady: Bool, age: UInt64, queue: UInt32, priority: Int8, qos: UInt8) {
      word1 = UInt64(`class`) & 0xFFFF | (UInt64(coverage) & 0xF) << 16 | (async ? 1 << 20 : 0) | (ownReady ? 1 << 21 : 0)
        | (age & 0xFF_FFFF_FFFF) << 24
      word2 = UInt64(queue) | UInt64(UInt8(bitPattern: priority)) << 32 | UInt64(qos) << 40
    }

    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
    @inlinable package var coverage: UInt8 { UInt8(truncatingIfNeeded: word1 >> 16 & 0xF) }
    @inlinable package static var largestCoverage: UInt8 { 0xF }
    @inlinable package var async: Bool { word1 >> 20 & 1 != 0 }
    @inlinable package var ownReady: Bool { word1 >> 21 & 1 != 0 }
    @inlinable package var age: UInt64 { word1 >> 24 }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var queue: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var priority: Int8 { Int8(truncatingIfNeeded: word2 >> 32) }
    @inlinable package var qos: UInt8 { UInt8(truncatingIfNeeded: word2 >> 40) }
  }

  /// `added-behind-last`
  package struct AddedBehindLast: EventWords {
    @inlinable package static var kind: EventKind { .addedBehindLast }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(class: UInt32, coverage: UInt8, async: Bool, ownReady: Bool, age: UInt64, queue: UInt32, priority: Int8, qos: UInt8) {
      word1 = UInt64(`class`) & 0xFFFF | (UInt64(coverage) & 0xF) << 16 | (async ? 1 << 20 : 0) | (ownReady ? 1 << 21 : 0)
        | (age & 0xFF_FFFF_FFFF) << 24
      word2 = UInt64(queue) | UInt64(UInt8(bitPattern: priority)) << 32 | UInt64(qos) << 40
    }

    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
    @inlinable package var coverage: UInt8 { UInt8(truncatingIfNeeded: word1 >> 16 & 0xF) }
    @inlinable package static var largestCoverage: UInt8 { 0xF }
    @inlinable package var async: Bool { word1 >> 20 & 1 != 0 }
    @inlinable package var ownReady: Bool { word1 >> 21 & 1 != 0 }
    @inlinable package var age: UInt64 { word1 >> 24 }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var queue: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var priority: Int8 { Int8(truncatingIfNeeded: word2 >> 32) }
    @inlinable package var qos: UInt8 { UInt8(truncatingIfNeeded: word2 >> 40) }
  }

  /// `enqueued-ready`
  package struct EnqueuedReady: EventWords {
    @inlinable package static var kind: EventKind { .enqueuedReady }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(queue: UInt32, priority: Int8, qos: UInt8) {
      word1 = UInt64(queue) | UInt64(UInt8(bitPattern: priority)) << 32 | UInt64(qos) << 40
      word2 = 0
    }

    @inlinable package var queue: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var priority: Int8 { Int8(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var qos: UInt8 { UInt8(truncatingIfNeeded: word1 >> 40) }
  }

  /// `blocked`
  package struct Blocked: EventWords {
    @inlinable package static var kind: EventKind { .blocked }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(object: UInt64, kind: UInt8, age: UInt64, thread: UInt32) {
      word1 = object & 0xFFFF_FFFF_FFFF | UInt64(kind) << 48
      word2 = age & 0xFF_FFFF_FFFF | (UInt64(thread) & 0xFF_FFFF) << 40
    }

    @inlinable package var object: UInt64 { word1 & 0xFFFF_FFFF_FFFF }
    @inlinable package static var largestObject: UInt64 { 0xFFFF_FFFF_FFFF }
    @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: word1 >> 48) }
    @inlinable package var age: UInt64 { word2 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word2 >> 40) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
  }

  /// `unblocked`
  package struct Unblocked: EventWords {
    @inlinable package static var kind: EventKind { .unblocked }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(object: UInt64, kind: UInt8) {
      word1 = object & 0xFFFF_FFFF_FFFF | UInt64(kind) << 48
      word2 = 0
    }

    @inlinable package var object: UInt64 { word1 & 0xFFFF_FFFF_FFFF }
    @inlinable package static var largestObject: UInt64 { 0xFFFF_FFFF_FFFF }
    @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: word1 >> 48) }
  }

  /// `signalled`
  package struct Signalled: EventWords {
    @inlinable package static var kind: EventKind { .signalled }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(object: UInt64, kind: UInt8, age: UInt64, thread: UInt32) {
      word1 = object & 0xFFFF_FFFF_FFFF | UInt64(kind) << 48
      word2 = age & 0xFF_FFFF_FFFF | (UInt64(thread) & 0xFF_FFFF) << 40
    }

    @inlinable package var object: UInt64 { word1 & 0xFFFF_FFFF_FFFF }
    @inlinable package static var largestObject: UInt64 { 0xFFFF_FFFF_FFFF }
    @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: word1 >> 48) }
    @inlinable package var age: UInt64 { word2 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word2 >> 40) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
  }

  /// `object-named`
  package struct ObjectNamed: EventWords {
    @inlinable package static var kind: EventKind { .objectNamed }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(object: UInt64) {
      word1 = 0
      word2 = object & 0xFFFF_FFFF_FFFF
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var object: UInt64 { word2 & 0xFFFF_FFFF_FFFF }
    @inlinable package static var largestObject: UInt64 { 0xFFFF_FFFF_FFFF }
  }

  /// `wait-lasts`
  package struct WaitLasts: EventWords {
    @inlinable package static var kind: EventKind { .waitLasts }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(thread: UInt32, isQueue: Bool, on: UInt32, at: UInt32) {
      word1 = UInt64(thread) & 0xFF_FFFF | (isQueue ? 1 << 24 : 0) | UInt64(on) << 32
      word2 = UInt64(at)
    }

    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFF_FFFF) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
    @inlinable package var isQueue: Bool { word1 >> 24 & 1 != 0 }
    @inlinable package var on: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var at: UInt32 { UInt32(truncatingIfNeeded: word2) }
  }

  /// `seen`
  package struct ThreadSeen: EventWords {
    @inlinable package static var kind: EventKind { .threadSeen }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(cpu: UInt32, owner: UInt32, state: UInt8, running: Bool, ended: Bool, timed: Bool, still: Bool, lock: UInt64, call: UInt16, reason: UInt8) {
      word1 = UInt64(cpu) | (UInt64(owner) & 0xFF_FFFF) << 32 | (UInt64(state) & 0xF) << 56 | (running ? 1 << 60 : 0)
        | (ended ? 1 << 61 : 0) | (timed ? 1 << 62 : 0) | (still ? 1 << 63 : 0)
      word2 = lock & 0xFFFF_FFFF_FFFF | (UInt64(call) & 0xFFF) << 48 | (UInt64(reason) & 0xF) << 60
    }

    @inlinable package var cpu: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var owner: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32 & 0xFF_FFFF) }
    @inlinable package static var largestOwner: UInt32 { 0xFF_FFFF }
    @inlinable package var state: UInt8 { UInt8(truncatingIfNeeded: word1 >> 56 & 0xF) }
    @inlinable package static var largestState: UInt8 { 0xF }
    @inlinable package var running: Bool { word1 >> 60 & 1 != 0 }
    @inlinable package var ended: Bool { word1 >> 61 & 1 != 0 }
    @inlinable package var timed: Bool { word1 >> 62 & 1 != 0 }
    @inlinable package var still: Bool { word1 >> 63 & 1 != 0 }
    @inlinable package var lock: UInt64 { word2 & 0xFFFF_FFFF_FFFF }
    @inlinable package static var largestLock: UInt64 { 0xFFFF_FFFF_FFFF }
    @inlinable package var call: UInt16 { UInt16(truncatingIfNeeded: word2 >> 48 & 0xFFF) }
    @inlinable package static var largestCall: UInt16 { 0xFFF }
    @inlinable package var reason: UInt8 { UInt8(truncatingIfNeeded: word2 >> 60) }
    @inlinable package static var largestReason: UInt8 { 0xF }
  }

  /// `looked`
  package struct Looked: EventWords {
    @inlinable package static var kind: EventKind { .looked }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(seen: UInt16, moved: UInt16, refused: UInt16, request: UInt16) {
      word1 = UInt64(seen) | UInt64(moved) << 16 | UInt64(refused) << 32 | UInt64(request) << 48
      word2 = 0
    }

    @inlinable package var seen: UInt16 { UInt16(truncatingIfNeeded: word1) }
    @inlinable package var moved: UInt16 { UInt16(truncatingIfNeeded: word1 >> 16) }
    @inlinable package var refused: UInt16 { UInt16(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var request: UInt16 { UInt16(truncatingIfNeeded: word1 >> 48) }
  }

  /// `looked-again`
  package struct LookedAgain: EventWords {
    @inlinable package static var kind: EventKind { .lookedAgain }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(seen: UInt16, unchanged: UInt16, moved: UInt16, refused: UInt16) {
      word1 = UInt64(seen) | UInt64(unchanged) << 16 | UInt64(moved) << 32 | UInt64(refused) << 48
      word2 = 0
    }

    @inlinable package var seen: UInt16 { UInt16(truncatingIfNeeded: word1) }
    @inlinable package var unchanged: UInt16 { UInt16(truncatingIfNeeded: word1 >> 16) }
    @inlinable package var moved: UInt16 { UInt16(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var refused: UInt16 { UInt16(truncatingIfNeeded: word1 >> 48) }
  }

  /// `class`
  package struct ClassDescribed: EventWords {
    @inlinable package static var kind: EventKind { .classDescribed }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(name: UInt32, class: UInt32, module: UInt32, code: UInt32) {
      word1 = UInt64(name) & 0xFFFF | (UInt64(`class`) & 0xFFFF) << 16 | (UInt64(module) & 0xFFFF) << 32
      word2 = UInt64(code)
    }

    @inlinable package var name: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFFFF) }
    @inlinable package static var largestName: UInt32 { 0xFFFF }
    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word1 >> 16 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
    @inlinable package var module: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32 & 0xFFFF) }
    @inlinable package static var largestModule: UInt32 { 0xFFFF }
    @inlinable package var code: UInt32 { UInt32(truncatingIfNeeded: word2) }
  }

  /// `image`
  package struct Image: EventWords {
    @inlinable package static var kind: EventKind { .image }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(build: UInt32, page: UInt64, pages: UInt32) {
      word1 = (UInt64(build) & 0xFFFF) << 32
      word2 = page & 0xF_FFFF_FFFF | (UInt64(pages) & 0xFFF_FFFF) << 36
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var build: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32 & 0xFFFF) }
    @inlinable package static var largestBuild: UInt32 { 0xFFFF }
    @inlinable package var page: UInt64 { word2 & 0xF_FFFF_FFFF }
    @inlinable package static var largestPage: UInt64 { 0xF_FFFF_FFFF }
    @inlinable package var pages: UInt32 { UInt32(truncatingIfNeeded: word2 >> 36) }
    @inlinable package static var largestPages: UInt32 { 0xFFF_FFFF }
  }

  /// `frame`
  package struct Frame: EventWords {
    @inlinable package static var kind: EventKind { .frame }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(image: UInt32, offset: UInt64, guessed: Bool, caller: UInt32, returns: Bool, library: UInt8, cut: Bool) {
      word1 = UInt64(image) & 0xFFFF | (offset & 0x7FFF_FFFF_FFFF) << 16 | (guessed ? 1 << 63 : 0)
      word2 = UInt64(caller) | (returns ? 1 << 32 : 0) | (UInt64(library) & 0x7) << 33 | (cut ? 1 << 36 : 0)
    }

    @inlinable package var image: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFFFF) }
    @inlinable package static var largestImage: UInt32 { 0xFFFF }
    @inlinable package var offset: UInt64 { word1 >> 16 & 0x7FFF_FFFF_FFFF }
    @inlinable package static var largestOffset: UInt64 { 0x7FFF_FFFF_FFFF }
    @inlinable package var guessed: Bool { word1 >> 63 & 1 != 0 }
    @inlinable package var caller: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var returns: Bool { word2 >> 32 & 1 != 0 }
    @inlinable package var library: UInt8 { UInt8(truncatingIfNeeded: word2 >> 33 & 0x7) }
    @inlinable package static var largestLibrary: UInt8 { 0x7 }
    @inlinable package var cut: Bool { word2 >> 36 & 1 != 0 }
  }

  /// `symbol`
  package struct Symbol: EventWords {
    @inlinable package static var kind: EventKind { .symbol }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(inlined: UInt8, short: UInt32, line: UInt32, file: UInt32, module: UInt32) {
      word1 = UInt64(inlined) << 32 | (UInt64(short) & 0xFFFF) << 40
      word2 = UInt64(line) & 0xFF_FFFF | (UInt64(file) & 0xFFFF) << 24 | (UInt64(module) & 0xFFFF) << 40
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var inlined: UInt8 { UInt8(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var short: UInt32 { UInt32(truncatingIfNeeded: word1 >> 40 & 0xFFFF) }
    @inlinable package static var largestShort: UInt32 { 0xFFFF }
    @inlinable package var line: UInt32 { UInt32(truncatingIfNeeded: word2 & 0xFF_FFFF) }
    @inlinable package static var largestLine: UInt32 { 0xFF_FFFF }
    @inlinable package var file: UInt32 { UInt32(truncatingIfNeeded: word2 >> 24 & 0xFFFF) }
    @inlinable package static var largestFile: UInt32 { 0xFFFF }
    @inlinable package var module: UInt32 { UInt32(truncatingIfNeeded: word2 >> 40 & 0xFFFF) }
    @inlinable package static var largestModule: UInt32 { 0xFFFF }
  }

  /// `submitted`
  package struct BlockSubmitted: EventWords {
    @inlinable package static var kind: EventKind { .blockSubmitted }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(by: UInt32, queue: UInt32, how: UInt8, group: Bool, item: Bool, alone: Bool, code: UInt32, at: UInt32) {
      word1 = UInt64(by) | (UInt64(queue) & 0xF_FFFF) << 32 | (UInt64(how) & 0xF) << 52 | (group ? 1 << 56 : 0)
        | (item ? 1 << 57 : 0) | (alone ? 1 << 58 : 0)
      word2 = UInt64(code) | UInt64(at) << 32
    }

    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var queue: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32 & 0xF_FFFF) }
    @inlinable package static var largestQueue: UInt32 { 0xF_FFFF }
    @inlinable package var how: UInt8 { UInt8(truncatingIfNeeded: word1 >> 52 & 0xF) }
    @inlinable package static var largestHow: UInt8 { 0xF }
    @inlinable package var group: Bool { word1 >> 56 & 1 != 0 }
    @inlinable package var item: Bool { word1 >> 57 & 1 != 0 }
    @inlinable package var alone: Bool { word1 >> 58 & 1 != 0 }
    @inlinable package var code: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var at: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32) }
  }

  /// `dispatch-queue`
  package struct DispatchQueue: EventWords {
    @inlinable package static var kind: EventKind { .dispatchQueue }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(width: Int32, target: UInt32, main: Bool, global: Bool, stopped: UInt8) {
      word1 = UInt64(UInt32(bitPattern: width)) << 32
      word2 = UInt64(target) & 0xF_FFFF | (main ? 1 << 32 : 0) | (global ? 1 << 33 : 0) | (UInt64(stopped) & 0x3) << 34
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var width: Int32 { Int32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var target: UInt32 { UInt32(truncatingIfNeeded: word2 & 0xF_FFFF) }
    @inlinable package static var largestTarget: UInt32 { 0xF_FFFF }
    @inlinable package var main: Bool { word2 >> 32 & 1 != 0 }
    @inlinable package var global: Bool { word2 >> 33 & 1 != 0 }
    @inlinable package var stopped: UInt8 { UInt8(truncatingIfNeeded: word2 >> 34 & 0x3) }
    @inlinable package static var largestStopped: UInt8 { 0x3 }
  }

  /// `task`
  package struct TaskCreated: EventWords {
    @inlinable package static var kind: EventKind { .taskCreated }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(by: UInt32, how: UInt8, priority: UInt8, enqueued: Bool, main: Bool, code: UInt32, at: UInt32) {
      word1 = UInt64(by) | (UInt64(how) & 0xF) << 32 | UInt64(priority) << 36 | (enqueued ? 1 << 44 : 0)
        | (main ? 1 << 45 : 0)
      word2 = UInt64(code) | UInt64(at) << 32
    }

    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var how: UInt8 { UInt8(truncatingIfNeeded: word1 >> 32 & 0xF) }
    @inlinable package static var largestHow: UInt8 { 0xF }
    @inlinable package var priority: UInt8 { UInt8(truncatingIfNeeded: word1 >> 36) }
    @inlinable package var enqueued: Bool { word1 >> 44 & 1 != 0 }
    @inlinable package var main: Bool { word1 >> 45 & 1 != 0 }
    @inlinable package var code: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var at: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32) }
  }

  /// `task-enqueued`
  package struct TaskEnqueued: EventWords {
    @inlinable package static var kind: EventKind { .taskEnqueued }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(by: UInt32, main: Bool) {
      word1 = UInt64(by) | (main ? 1 << 32 : 0)
      word2 = 0
    }

    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var main: Bool { word1 >> 32 & 1 != 0 }
  }

  /// `task-queued`
  package struct TaskQueued: EventWords {
    @inlinable package static var kind: EventKind { .taskQueued }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(actor: UInt32, class: UInt32, by: UInt32) {
      word1 = UInt64(actor) | (UInt64(`class`) & 0xFFFF) << 32
      word2 = UInt64(by)
    }

    @inlinable package var actor: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word2) }
  }

  /// `task-resumed`
  package struct TaskResumed: EventWords {
    @inlinable package static var kind: EventKind { .taskResumed }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(by: UInt32, how: UInt8) {
      word1 = UInt64(by) | (UInt64(how) & 0xF) << 32
      word2 = 0
    }

    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var how: UInt8 { UInt8(truncatingIfNeeded: word1 >> 32 & 0xF) }
    @inlinable package static var largestHow: UInt8 { 0xF }
  }

  /// `task-suspended`
  package struct TaskSuspended: EventWords {
    @inlinable package static var kind: EventKind { .taskSuspended }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(reason: UInt8, for: UInt32) {
      word1 = UInt64(reason) & 0xF | UInt64(`for`) << 32
      word2 = 0
    }

    @inlinable package var reason: UInt8 { UInt8(truncatingIfNeeded: word1 & 0xF) }
    @inlinable package static var largestReason: UInt8 { 0xF }
    @inlinable package var `for`: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
  }

  /// `queue`
  package struct QueueCreated: EventWords {
    @inlinable package static var kind: EventKind { .queueCreated }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(limit: Int32, qos: UInt8, main: Bool, suspended: Bool) {
      word1 = UInt64(UInt32(bitPattern: limit)) << 32
      word2 = UInt64(qos) | (main ? 1 << 8 : 0) | (suspended ? 1 << 9 : 0)
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var limit: Int32 { Int32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var qos: UInt8 { UInt8(truncatingIfNeeded: word2) }
    @inlinable package var main: Bool { word2 >> 8 & 1 != 0 }
    @inlinable package var suspended: Bool { word2 >> 9 & 1 != 0 }
  }

  /// `limit`
  package struct LimitChanged: EventWords {
    @inlinable package static var kind: EventKind { .limitChanged }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(value: Int64) {
      word1 = UInt64(UInt64(bitPattern: value))
      word2 = 0
    }

    @inlinable package var value: Int64 { Int64(bitPattern: word1) }
  }

  /// `queue-qos`
  package struct QueueQualityChanged: EventWords {
    @inlinable package static var kind: EventKind { .queueQualityChanged }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(value: UInt64) {
      word1 = value
      word2 = 0
    }

    @inlinable package var value: UInt64 { word1 }
  }

  /// `queue-main`
  package struct QueueMainChanged: EventWords {
    @inlinable package static var kind: EventKind { .queueMainChanged }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(value: UInt64) {
      word1 = value
      word2 = 0
    }

    @inlinable package var value: UInt64 { word1 }
  }

  /// `span`
  package struct SpanBegan: EventWords {
    @inlinable package static var kind: EventKind { .spanBegan }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(id: UInt32) {
      word1 = UInt64(id) << 32
      word2 = 0
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var id: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
  }

  /// `span-context`
  package struct SpanContext: EventWords {
    @inlinable package static var kind: EventKind { .spanContext }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(parent: UInt32, kind: UInt8) {
      word1 = UInt64(parent) << 32
      word2 = UInt64(kind) & 0xF
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var parent: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: word2 & 0xF) }
    @inlinable package static var largestKind: UInt8 { 0xF }
  }

  /// `span-attribute`
  package struct SpanAttribute: EventWords {
    @inlinable package static var kind: EventKind { .spanAttribute }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(type: UInt8) {
      word1 = (UInt64(type) & 0xF) << 32
      word2 = 0
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var type: UInt8 { UInt8(truncatingIfNeeded: word1 >> 32 & 0xF) }
    @inlinable package static var largestType: UInt8 { 0xF }
  }

  /// `span-status`
  package struct SpanStatus: EventWords {
    @inlinable package static var kind: EventKind { .spanStatus }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(code: UInt8, leftOut: UInt32) {
      word1 = (UInt64(code) & 0xF) << 32 | (UInt64(leftOut) & 0xFF_FFFF) << 40
      word2 = 0
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var code: UInt8 { UInt8(truncatingIfNeeded: word1 >> 32 & 0xF) }
    @inlinable package static var largestCode: UInt8 { 0xF }
    @inlinable package var leftOut: UInt32 { UInt32(truncatingIfNeeded: word1 >> 40) }
    @inlinable package static var largestLeftOut: UInt32 { 0xFF_FFFF }
  }

  /// `span-link`
  package struct SpanLink: EventWords {
    @inlinable package static var kind: EventKind { .spanLink }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(to: UInt32) {
      word1 = UInt64(to) << 32
      word2 = 0
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var to: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
  }

  /// `within`
  package struct SubmittedWithin: EventWords {
    @inlinable package static var kind: EventKind { .submittedWithin }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(span: UInt32) {
      word1 = UInt64(span)
      word2 = 0
    }

    @inlinable package var span: UInt32 { UInt32(truncatingIfNeeded: word1) }
  }

  /// `profile`
  package struct Profile: EventWords {
    @inlinable package static var kind: EventKind { .profile }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(period: UInt64, by: UInt8, kernel: Bool, refused: UInt16, copied: UInt32) {
      word1 = period & 0xFF_FFFF_FFFF | (UInt64(by) & 0xF) << 40 | (kernel ? 1 << 44 : 0) | UInt64(refused) << 48
      word2 = UInt64(copied)
    }

    @inlinable package var period: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestPeriod: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var by: UInt8 { UInt8(truncatingIfNeeded: word1 >> 40 & 0xF) }
    @inlinable package static var largestBy: UInt8 { 0xF }
    @inlinable package var kernel: Bool { word1 >> 44 & 1 != 0 }
    @inlinable package var refused: UInt16 { UInt16(truncatingIfNeeded: word1 >> 48) }
    @inlinable package var copied: UInt32 { UInt32(truncatingIfNeeded: word2) }
  }

  /// `sampled`
  package struct Sampled: EventWords {
    @inlinable package static var kind: EventKind { .sampled }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(age: UInt64, thread: UInt32) {
      word1 = age & 0xFF_FFFF_FFFF | (UInt64(thread) & 0xFF_FFFF) << 40
      word2 = 0
    }

    @inlinable package var age: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word1 >> 40) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
  }

  /// `sampled-in-kernel`
  package struct SampledInKernel: EventWords {
    @inlinable package static var kind: EventKind { .sampledInKernel }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(age: UInt64, thread: UInt32) {
      word1 = age & 0xFF_FFFF_FFFF | (UInt64(thread) & 0xFF_FFFF) << 40
      word2 = 0
    }

    @inlinable package var age: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word1 >> 40) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
  }

  /// `sampling`
  package struct Sampling: EventWords {
    @inlinable package static var kind: EventKind { .sampling }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(used: UInt64, lost: UInt32, missing: UInt32) {
      word1 = used
      word2 = UInt64(lost) | UInt64(missing) << 32
    }

    @inlinable package var used: UInt64 { word1 }
    @inlinable package var lost: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var missing: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32) }
  }

  /// `loop-turn`
  package struct LoopTurn: EventWords {
    @inlinable package static var kind: EventKind { .loopTurn }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(age: UInt64, open: Bool, manager: Bool) {
      word1 = age & 0xFF_FFFF_FFFF | (open ? 1 << 40 : 0) | (manager ? 1 << 41 : 0)
      word2 = 0
    }

    @inlinable package var age: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var open: Bool { word1 >> 40 & 1 != 0 }
    @inlinable package var manager: Bool { word1 >> 41 & 1 != 0 }
  }

  /// `loop-turns`
  package struct LoopTurns: EventWords {
    @inlinable package static var kind: EventKind { .loopTurns }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(turns: UInt32, manager: Bool, open: Bool, longest: UInt32, busy: UInt32, idle: UInt32) {
      word1 = UInt64(turns) & 0xFF_FFFF | (manager ? 1 << 24 : 0) | (open ? 1 << 25 : 0) | UInt64(longest) << 32
      word2 = UInt64(busy) | UInt64(idle) << 32
    }

    @inlinable package var turns: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFF_FFFF) }
    @inlinable package static var largestTurns: UInt32 { 0xFF_FFFF }
    @inlinable package var manager: Bool { word1 >> 24 & 1 != 0 }
    @inlinable package var open: Bool { word1 >> 25 & 1 != 0 }
    @inlinable package var longest: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var busy: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var idle: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32) }
  }

  /// `machine`
  package struct Machine: EventWords {
    @inlinable package static var kind: EventKind { .machine }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(over: UInt32, waited: UInt64, used: UInt32, throttled: UInt16, processors: UInt16) {
      word1 = UInt64(over) & 0xFF_FFFF | (waited & 0xFF_FFFF_FFFF) << 24
      word2 = UInt64(used) | UInt64(throttled) << 32 | UInt64(processors) << 48
    }

    @inlinable package var over: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFF_FFFF) }
    @inlinable package static var largestOver: UInt32 { 0xFF_FFFF }
    @inlinable package var waited: UInt64 { word1 >> 24 }
    @inlinable package static var largestWaited: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var used: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var throttled: UInt16 { UInt16(truncatingIfNeeded: word2 >> 32) }
    @inlinable package var processors: UInt16 { UInt16(truncatingIfNeeded: word2 >> 48) }
  }

  /// `order`
  package struct Order: EventWords {
    @inlinable package static var kind: EventKind { .order }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(object: UInt64, kind: UInt8, reader: Bool, try: Bool, timed: Bool, kept: Bool, number: UInt16, outer: UInt16, of: UInt32) {
      word1 = object & 0xFFFF_FFFF_FFFF | (UInt64(kind) & 0xF) << 48 | (reader ? 1 << 52 : 0) | (`try` ? 1 << 53 : 0)
        | (timed ? 1 << 54 : 0) | (kept ? 1 << 55 : 0)
      word2 = UInt64(number) | UInt64(outer) << 16 | UInt64(of) << 32
    }

    @inlinable package var object: UInt64 { word1 & 0xFFFF_FFFF_FFFF }
    @inlinable package static var largestObject: UInt64 { 0xFFFF_FFFF_FFFF }
    @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: word1 >> 48 & 0xF) }
    @inlinable package static var largestKind: UInt8 { 0xF }
    @inlinable package var reader: Bool { word1 >> 52 & 1 != 0 }
    @inlinable package var `try`: Bool { word1 >> 53 & 1 != 0 }
    @inlinable package var timed: Bool { word1 >> 54 & 1 != 0 }
    @inlinable package var kept: Bool { word1 >> 55 & 1 != 0 }
    @inlinable package var number: UInt16 { UInt16(truncatingIfNeeded: word2) }
    @inlinable package var outer: UInt16 { UInt16(truncatingIfNeeded: word2 >> 16) }
    @inlinable package var of: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32) }
  }

  /// `ordered`
  package struct Ordered: EventWords {
    @inlinable package static var kind: EventKind { .ordered }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(number: UInt16, age: UInt64, at: UInt32, thread: UInt32) {
      word1 = UInt64(number) | (age & 0xFF_FFFF_FFFF) << 24
      word2 = UInt64(at) | (UInt64(thread) & 0xFF_FFFF) << 32
    }

    @inlinable package var number: UInt16 { UInt16(truncatingIfNeeded: word1) }
    @inlinable package var age: UInt64 { word1 >> 24 }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var at: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32 & 0xFF_FFFF) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
  }

  /// `handover`
  package struct Handover: EventWords {
    @inlinable package static var kind: EventKind { .handover }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(at: UInt32, signalledAt: UInt32, by: UInt32, kind: UInt8, waited: Bool, timed: Bool, lock: Bool, count: UInt32) {
      word1 = UInt64(at) | UInt64(signalledAt) << 32
      word2 = UInt64(by) | (UInt64(kind) & 0xF) << 32 | (waited ? 1 << 36 : 0) | (timed ? 1 << 37 : 0)
        | (lock ? 1 << 38 : 0) | (UInt64(count) & 0xFF_FFFF) << 40
    }

    @inlinable package var at: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var signalledAt: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: word2 >> 32 & 0xF) }
    @inlinable package static var largestKind: UInt8 { 0xF }
    @inlinable package var waited: Bool { word2 >> 36 & 1 != 0 }
    @inlinable package var timed: Bool { word2 >> 37 & 1 != 0 }
    @inlinable package var lock: Bool { word2 >> 38 & 1 != 0 }
    @inlinable package var count: UInt32 { UInt32(truncatingIfNeeded: word2 >> 40) }
    @inlinable package static var largestCount: UInt32 { 0xFF_FFFF }
  }

  /// `orders`
  package struct Orders: EventWords {
    @inlinable package static var kind: EventKind { .orders }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(lost: UInt32, deep: UInt32, alike: UInt32, moved: UInt32) {
      word1 = UInt64(lost) | UInt64(deep) << 32
      word2 = UInt64(alike) | UInt64(moved) << 32
    }

    @inlinable package var lost: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var deep: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var alike: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var moved: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32) }
  }

  /// `thread-begun`
  package struct ThreadBegun: EventWords {
    @inlinable package static var kind: EventKind { .threadBegun }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(by: UInt32, from: UInt32, joined: Bool, age: UInt64) {
      word1 = UInt64(by) | (UInt64(from) & 0xFF_FFFF) << 32 | (joined ? 1 << 56 : 0)
      word2 = age & 0xFF_FFFF_FFFF
    }

    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var from: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32 & 0xFF_FFFF) }
    @inlinable package static var largestFrom: UInt32 { 0xFF_FFFF }
    @inlinable package var joined: Bool { word1 >> 56 & 1 != 0 }
    @inlinable package var age: UInt64 { word2 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
  }

  /// `memory`
  package struct Memory: EventWords {
    @inlinable package static var kind: EventKind { .memory }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(interval: UInt64, how: UInt8, allocator: UInt8, refused: UInt16, room: UInt32) {
      word1 = interval & 0xFF_FFFF_FFFF | (UInt64(how) & 0xF) << 40 | (UInt64(allocator) & 0xF) << 44
        | UInt64(refused) << 48
      word2 = UInt64(room)
    }

    @inlinable package var interval: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestInterval: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var how: UInt8 { UInt8(truncatingIfNeeded: word1 >> 40 & 0xF) }
    @inlinable package static var largestHow: UInt8 { 0xF }
    @inlinable package var allocator: UInt8 { UInt8(truncatingIfNeeded: word1 >> 44 & 0xF) }
    @inlinable package static var largestAllocator: UInt8 { 0xF }
    @inlinable package var refused: UInt16 { UInt16(truncatingIfNeeded: word1 >> 48) }
    @inlinable package var room: UInt32 { UInt32(truncatingIfNeeded: word2) }
  }

  /// `allocated`
  package struct Allocated: EventWords {
    @inlinable package static var kind: EventKind { .allocated }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(size: UInt64, thread: UInt32, number: UInt32, call: UInt8, object: Bool, age: UInt64) {
      word1 = size & 0xFF_FFFF_FFFF | (UInt64(thread) & 0xFF_FFFF) << 40
      word2 = UInt64(number) | (UInt64(call) & 0xF) << 32 | (object ? 1 << 36 : 0) | (age & 0x7FF_FFFF) << 37
    }

    @inlinable package var size: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestSize: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word1 >> 40) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
    @inlinable package var number: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var call: UInt8 { UInt8(truncatingIfNeeded: word2 >> 32 & 0xF) }
    @inlinable package static var largestCall: UInt8 { 0xF }
    @inlinable package var object: Bool { word2 >> 36 & 1 != 0 }
    @inlinable package var age: UInt64 { word2 >> 37 }
    @inlinable package static var largestAge: UInt64 { 0x7FF_FFFF }
  }

  /// `freed`
  package struct Freed: EventWords {
    @inlinable package static var kind: EventKind { .freed }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(class: UInt32, age: UInt64) {
      word1 = UInt64(`class`) & 0xFFFF | (age & 0xFF_FFFF_FFFF) << 24
      word2 = 0
    }

    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
    @inlinable package var age: UInt64 { word1 >> 24 }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF_FFFF }
  }

  /// `resized`
  package struct Resized: EventWords {
    @inlinable package static var kind: EventKind { .resized }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(size: UInt64, age: UInt64) {
      word1 = size & 0xFF_FFFF_FFFF | (age & 0xFF_FFFF) << 40
      word2 = 0
    }

    @inlinable package var size: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestSize: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var age: UInt64 { word1 >> 40 }
    @inlinable package static var largestAge: UInt64 { 0xFF_FFFF }
  }

  /// `allocation-class`
  package struct AllocationClass: EventWords {
    @inlinable package static var kind: EventKind { .allocationClass }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(class: UInt32) {
      word1 = UInt64(`class`) & 0xFFFF
      word2 = 0
    }

    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word1 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
  }

  /// `lives`
  package struct AllocationLives: EventWords {
    @inlinable package static var kind: EventKind { .allocationLives }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(size: UInt64, lived: UInt32, number: UInt32, class: UInt32, thread: UInt32) {
      word1 = size & 0xFF_FFFF_FFFF | (UInt64(lived) & 0xFF_FFFF) << 40
      word2 = UInt64(number) | (UInt64(`class`) & 0xFFFF) << 32 | (UInt64(thread) & 0xFFFF) << 48
    }

    @inlinable package var size: UInt64 { word1 & 0xFF_FFFF_FFFF }
    @inlinable package static var largestSize: UInt64 { 0xFF_FFFF_FFFF }
    @inlinable package var lived: UInt32 { UInt32(truncatingIfNeeded: word1 >> 40) }
    @inlinable package static var largestLived: UInt32 { 0xFF_FFFF }
    @inlinable package var number: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var `class`: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32 & 0xFFFF) }
    @inlinable package static var largestClass: UInt32 { 0xFFFF }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word2 >> 48) }
    @inlinable package static var largestThread: UInt32 { 0xFFFF }
  }

  /// `memory-use`
  package struct MemoryUse: EventWords {
    @inlinable package static var kind: EventKind { .memoryUse }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(resident: UInt32, anonymous: UInt32, peak: UInt32, lost: UInt32) {
      word1 = UInt64(resident) | UInt64(anonymous) << 32
      word2 = UInt64(peak) | UInt64(lost) << 32
    }

    @inlinable package var resident: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var anonymous: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var peak: UInt32 { UInt32(truncatingIfNeeded: word2) }
    @inlinable package var lost: UInt32 { UInt32(truncatingIfNeeded: word2 >> 32) }
  }

  /// `outside`
  package struct Outside: EventWords {
    @inlinable package static var kind: EventKind { .outside }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(core: Bool, moved: Bool, timed: Bool, watched: UInt32) {
      word1 = (core ? 1 << 32 : 0) | (moved ? 1 << 33 : 0) | (timed ? 1 << 34 : 0) | (UInt64(watched) & 0xFF_FFFF) << 40
      word2 = 0
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var core: Bool { word1 >> 32 & 1 != 0 }
    @inlinable package var moved: Bool { word1 >> 33 & 1 != 0 }
    @inlinable package var timed: Bool { word1 >> 34 & 1 != 0 }
    @inlinable package var watched: UInt32 { UInt32(truncatingIfNeeded: word1 >> 40) }
    @inlinable package static var largestWatched: UInt32 { 0xFF_FFFF }
  }

  /// `only-by`
  package struct OnlyBy: EventWords {
    @inlinable package static var kind: EventKind { .onlyBy }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(by: UInt32, for: UInt32, thread: UInt32, waiter: UInt32, possibly: Bool) {
      word1 = UInt64(by) | UInt64(`for`) << 32
      word2 = UInt64(thread) & 0xFF_FFFF | (UInt64(waiter) & 0xFF_FFFF) << 24 | (possibly ? 1 << 48 : 0)
    }

    @inlinable package var by: UInt32 { UInt32(truncatingIfNeeded: word1) }
    @inlinable package var `for`: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var thread: UInt32 { UInt32(truncatingIfNeeded: word2 & 0xFF_FFFF) }
    @inlinable package static var largestThread: UInt32 { 0xFF_FFFF }
    @inlinable package var waiter: UInt32 { UInt32(truncatingIfNeeded: word2 >> 24 & 0xFF_FFFF) }
    @inlinable package static var largestWaiter: UInt32 { 0xFF_FFFF }
    @inlinable package var possibly: Bool { word2 >> 48 & 1 != 0 }
  }

  /// `thread`
  package struct ThreadNamed: EventWords {
    @inlinable package static var kind: EventKind { .threadNamed }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(tid: UInt32) {
      word1 = UInt64(tid) << 32
      word2 = 0
    }

    /// The half of the second word that holds fields; the other holds lengths.
    @inlinable package var high: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
    @inlinable package var tid: UInt32 { UInt32(truncatingIfNeeded: word1 >> 32) }
  }

  /// `thread-switched`
  package struct ThreadSwitched: EventWords {
    @inlinable package static var kind: EventKind { .threadSwitched }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(tid: UInt32) {
      word1 = UInt64(tid)
      word2 = 0
    }

    @inlinable package var tid: UInt32 { UInt32(truncatingIfNeeded: word1) }
  }

  /// `time`
  package struct Time: EventWords {
    @inlinable package static var kind: EventKind { .time }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(ticks: UInt64) {
      word1 = ticks
      word2 = 0
    }

    @inlinable package var ticks: UInt64 { word1 }
  }

  /// `calibration`
  package struct Calibration: EventWords {
    @inlinable package static var kind: EventKind { .calibration }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(monotonic: UInt64, wall: UInt64) {
      word1 = monotonic
      word2 = wall
    }

    @inlinable package var monotonic: UInt64 { word1 }
    @inlinable package var wall: UInt64 { word2 }
  }

  /// `lost`
  package struct Lost: EventWords {
    @inlinable package static var kind: EventKind { .lost }
    package let word1: UInt64
    package let word2: UInt64

    @inlinable @inline(__always)
    package init(_ word1: UInt64, _ word2: UInt64 = 0) {
      self.word1 = word1
      self.word2 = word2
    }

    @inlinable @inline(__always)
    package init(count: UInt64) {
      word1 = count
      word2 = 0
    }

    @inlinable package var count: UInt64 { word1 }
  }
}
