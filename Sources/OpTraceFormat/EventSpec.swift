/// One line of the event table: the source of the reader, the text form, the checks and `Documentation/format.md`.
public struct EventSpec: Sendable {
  /// What the high 32 bits of the first word name.
  public enum Subject: String, Sendable {
    case none, operation, queue, thread, string, span, reason
  }

  /// A value inside the second or third word.
  public struct Field: Sendable {
    public enum Meaning: String, Sendable {
      /// A number; signed ones are two's complement over their width.
      case unsigned, signed
      /// The serial number of an operation, the id of a queue.
      case operation, queue
      /// The number of a thread; 0 is none.
      case thread
      /// The id of an interned string; 0 is none.
      case string
      /// Nonzero is true.
      case flag
      /// How long before the record something was, in units of 16 ticks; all ones means at least that.
      case age
      /// Where an object is in memory, and of which kind it is (``WaitedObject``).
      case address
      case objectKind = "object kind"
    }

    public let name: String
    /// 1 or 2: which word of the record.
    public let word: Int
    /// Lowest bit and number of bits.
    public let shift: Int
    public let width: Int
    public let meaning: Meaning

    init(_ name: String, _ word: Int, _ shift: Int, _ width: Int, _ meaning: Meaning) {
      self.name = name
      self.word = word
      self.shift = shift
      self.width = width
      self.meaning = meaning
    }

    /// The field's bits, taken out of the record's second and third word.
    public func raw(_ word1: UInt64, _ word2: UInt64) -> UInt64 {
      let bits = (word == 1 ? word1 : word2) >> UInt64(shift)
      return width == 64 ? bits : bits & ((1 << UInt64(width)) - 1)
    }

    /// The field as a number with its sign.
    public func value(_ word1: UInt64, _ word2: UInt64) -> Int64 {
      let bits = raw(word1, word2)
      guard meaning == .signed, width < 64 else { return Int64(bitPattern: bits) }
      let unused = UInt64(64 - width)
      return Int64(bitPattern: bits << unused) >> Int64(unused)
    }

    /// The bits of `value` at the field's place; what does not fit is cut off.
    public func bits(_ value: Int64) -> UInt64 {
      let pattern = UInt64(bitPattern: value)
      return (width == 64 ? pattern : pattern & ((1 << UInt64(width)) - 1)) << UInt64(shift)
    }
  }

  public let kind: EventKind
  /// The word of the text form.
  public let name: String
  public let subject: Subject
  public let fields: [Field]
  /// In a variable record: the word at which its UTF-8 text begins (the text's length in bytes is in bits 16 to 31 of
  /// the second word). Nil when the record carries no text.
  public let textWord: Int?
  /// The minor version of the format that brought this kind.
  public let since: Int
  public let meaning: String

  init(
    _ kind: EventKind, _ name: String, _ subject: Subject, _ fields: [Field] = [], textWord: Int? = nil,
    since: Int = 0, meaning: String
  ) {
    self.kind = kind
    self.name = name
    self.subject = subject
    self.fields = fields
    self.textWord = textWord
    self.since = since
    self.meaning = meaning
  }

  /// Every kind, in the order of the documentation.
  public static let table: [EventSpec] = [
    // An operation's life.
    EventSpec(
      .operationCreated, "created", .operation,
      [
        .init("class", 1, 0, 16, .string), .init("coverage", 1, 16, 4, .unsigned),
        .init("async", 1, 20, 1, .flag), .init("own-ready", 1, 21, 1, .flag), .init("age", 1, 24, 40, .age),
      ],
      meaning:
        "first record of an operation; an external one that is met itself has a second. `coverage`: 0 full, 1 partial, 2 external (only named as a dependency). `own-ready` (since 1.2): its class overrides `isReady`. `age`: how long before this record the object was created"
    ),
    EventSpec(
      .operationNamed, "named", .operation, [.init("source", 1, 32, 16, .string)], textWord: 2,
      meaning: "the operation's name, and the place in the source (`file:line`) where it was made, if known"),
    EventSpec(
      .dependencyAdded, "depends", .operation, [.init("on", 1, 0, 32, .operation)],
      meaning: "a dependency on another operation"),
    EventSpec(
      .dependencyRemoved, "undepends", .operation, [.init("on", 1, 0, 32, .operation)],
      meaning: "a dependency was taken away"),
    EventSpec(
      .enqueued, "enqueued", .operation,
      [
        .init("queue", 1, 0, 32, .queue), .init("priority", 1, 32, 8, .signed), .init("qos", 1, 40, 8, .unsigned),
        .init("barrier", 1, 48, 1, .flag),
      ],
      meaning: "given to a queue; written before the queue is told"),
    EventSpec(
      .ready, "ready", .operation,
      meaning:
        "`isReady` was asked and said true; the thread is the one that removed the last obstacle. What counts is the last turn to true before the start"
    ),
    EventSpec(.started, "started", .operation, meaning: "`start()` was entered"),
    EventSpec(.executionBegan, "began", .operation, meaning: "the operation's own code begins"),
    EventSpec(
      .blockBegan, "block-began", .operation, [.init("index", 1, 0, 32, .unsigned)],
      meaning: "one block of a block operation"),
    EventSpec(
      .blockEnded, "block-ended", .operation, [.init("index", 1, 0, 32, .unsigned)], meaning: "the end of that block"),
    EventSpec(.executionEnded, "ended", .operation, meaning: "the operation's own code has returned"),
    EventSpec(.finished, "finished", .operation, meaning: "`isFinished` turns true; written before anybody is told"),
    EventSpec(
      .finishSeen, "finish-seen", .operation, since: 1,
      meaning: "`isFinished` was asked and said true, though no change was announced yet"),
    EventSpec(
      .finishedWithError, "failed", .operation, textWord: 2,
      meaning: "finished with an error, whose description is the text"),
    EventSpec(
      .finishedAgain, "finished-again", .operation, meaning: "`finish()` was called once more: misuse, ignored"),
    EventSpec(
      .startReturned, "start-returned", .operation, meaning: "`start()` returned; an asynchronous operation may run on"),
    EventSpec(.cancelRequested, "cancel", .operation, meaning: "`cancel()` was called"),
    EventSpec(.released, "released", .operation, meaning: "the object is gone"),
    EventSpec(
      .priorityChanged, "priority", .operation, [.init("value", 1, 0, 64, .signed)],
      meaning: "the queue priority was set"),
    EventSpec(
      .qualityChanged, "qos", .operation, [.init("value", 1, 0, 64, .unsigned)],
      meaning:
        "the quality of service was set: 0 default, 1 background, 2 utility, 3 user initiated, 4 user interactive"),

    // Waits.
    EventSpec(.waitBegan, "wait", .operation, meaning: "this thread blocks until the operation has finished"),
    EventSpec(.waitEnded, "waited", .operation, meaning: "that wait is over"),
    EventSpec(.queueWaitBegan, "wait-queue", .queue, meaning: "this thread blocks until the queue is empty"),
    EventSpec(.queueWaitEnded, "waited-queue", .queue, meaning: "that wait is over"),

    EventSpec(
      .blocked, "blocked", .operation,
      [
        .init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind), .init("age", 2, 0, 40, .age),
        .init("thread", 2, 40, 24, .thread),
      ], since: 1,
      meaning:
        "the operation's thread has been blocking on this object for `age`. `thread`: the thread that blocks, where another one writes the record; 0: the record's own"
    ),
    EventSpec(
      .unblocked, "unblocked", .operation,
      [.init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind)], since: 1,
      meaning: "the wait on this object, which `blocked` told of, is over on this thread"),
    EventSpec(
      .signalled, "signalled", .operation,
      [
        .init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind), .init("age", 2, 0, 40, .age),
        .init("thread", 2, 40, 24, .thread),
      ], since: 1,
      meaning:
        "stands right behind `blocked` or `unblocked`: the last signal, leave or use of that object was `age` ago, in this operation (0: in none), by `thread` (0: not known)"
    ),
    EventSpec(
      .objectNamed, "object-named", .none, [.init("object", 2, 0, 48, .address)], textWord: 3, since: 1,
      meaning: "the name of an object that is waited on: a dispatch queue's label"),

    // Queues.
    EventSpec(
      .queueCreated, "queue", .queue,
      [
        .init("limit", 1, 32, 32, .signed), .init("qos", 2, 0, 8, .unsigned), .init("main", 2, 8, 1, .flag),
        .init("suspended", 2, 9, 1, .flag),
      ], textWord: 3,
      meaning: "a queue at first sight: its name and its limit (-1: as many as the system allows)"),
    EventSpec(.queueRenamed, "queue-named", .queue, textWord: 2, meaning: "the queue has another name"),
    EventSpec(.queueSuspended, "suspended", .queue, meaning: "the queue starts nothing from here on"),
    EventSpec(.queueResumed, "resumed", .queue, meaning: "the queue starts operations again"),
    EventSpec(
      .limitChanged, "limit", .queue, [.init("value", 1, 0, 64, .signed)],
      meaning: "how many operations may run at once; -1: as many as the system allows"),
    EventSpec(
      .queueQualityChanged, "queue-qos", .queue, [.init("value", 1, 0, 64, .unsigned)],
      meaning: "the queue's quality of service; values as in `qos`"),
    EventSpec(
      .queueMainChanged, "queue-main", .queue, [.init("value", 1, 0, 64, .unsigned)],
      meaning: "whether the queue runs its operations on the main thread from here on: 1 yes, 0 no"),
    EventSpec(.queueCancelledAll, "cancel-all", .queue, meaning: "`cancelAllOperations()` was called"),
    EventSpec(.queueReleased, "queue-released", .queue, meaning: "the queue object is gone"),

    // The user's own events.
    EventSpec(.mark, "mark", .operation, textWord: 2, meaning: "a moment that the program names; operation 0: none"),
    EventSpec(
      .spanBegan, "span", .operation, [.init("id", 1, 32, 32, .unsigned)], textWord: 2,
      meaning: "a named piece of work begins; operation 0: none"),
    EventSpec(.spanEnded, "span-ended", .span, meaning: "the span with this id ends, on any thread"),

    // Bookkeeping.
    EventSpec(
      .threadNamed, "thread", .thread, [.init("tid", 1, 32, 32, .unsigned)], textWord: 2,
      meaning: "a thread: its number in the trace, the system's id, its name"),
    EventSpec(
      .threadSwitched, "thread-switched", .thread, [.init("tid", 1, 0, 32, .unsigned)],
      meaning: "the records from here on in this chunk are of another thread"),
    EventSpec(.string, "string", .string, textWord: 2, meaning: "a text that other records name by its id"),
    EventSpec(
      .time, "time", .none, [.init("ticks", 1, 0, 64, .unsigned)],
      meaning: "the clock's value, where it is far from the last"),
    EventSpec(
      .calibration, "calibration", .none,
      [.init("monotonic", 1, 0, 64, .unsigned), .init("wall", 2, 0, 64, .unsigned)],
      meaning: "the two system clocks (nanoseconds) at this record's ticks"),
    EventSpec(
      .lost, "lost", .reason, [.init("count", 1, 0, 64, .unsigned)],
      meaning: "so many records of this thread were lost right before this one; reasons as in the header"),
  ]

  private static let byKind: [EventSpec?] = {
    var result = [EventSpec?](repeating: nil, count: 256)
    for spec in table { result[Int(spec.kind.rawValue)] = spec }
    return result
  }()

  private static let byName = Dictionary(table.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// The line of a raw kind; nil when this version does not know it.
  public static func of(raw: UInt8) -> EventSpec? { byKind[Int(raw)] }

  /// The line with this word of the text form.
  public static func of(name: String) -> EventSpec? { byName[name] }

  static func of(_ kind: EventKind) -> EventSpec {
    // Every kind has its line: a test compares the table with `EventKind.allCases`.
    byKind[Int(kind.rawValue)] ?? EventSpec(kind, "unlisted", .none, meaning: "")
  }
}
