// Every event: its kind, and what the kind means. Long, and in one file, so that a new event is added in one place.

/// What a record in a trace says. The raw value is the first byte of the record.
///
/// The two high bits of the value give the record's size, so that a reader skips a kind that it does not know:
///
/// | bits | size |
/// |---|---|
/// | `00` | one word (8 bytes) |
/// | `01` | two words |
/// | `10` | three words |
/// | `11` | variable: the low 16 bits of the second word hold the size in words |
///
/// To add a kind: a case here, and a line in ``EventSpec/table``, below in the same file.
public enum EventKind: UInt8, CaseIterable, Sendable {
  // One word.
  /// `isReady` was asked and said true.
  case ready = 0x01
  /// `start()` was entered.
  case started = 0x02
  /// The operation's own code begins.
  case executionBegan = 0x03
  /// The operation's own code has returned.
  case executionEnded = 0x04
  /// `isFinished` turns true; written before it is announced.
  case finished = 0x05
  /// The operation object is gone.
  case released = 0x06
  /// `cancel()` was called.
  case cancelRequested = 0x07
  /// `finish()` was called once more: misuse, and ignored.
  case finishedAgain = 0x08
  /// `start()` returned; an asynchronous operation may run on.
  case startReturned = 0x09
  /// This thread blocks until the operation has finished.
  case waitBegan = 0x0A
  /// The wait for the operation is over.
  case waitEnded = 0x0B
  /// This thread blocks until the queue is empty.
  case queueWaitBegan = 0x0C
  /// The wait for the queue is over.
  case queueWaitEnded = 0x0D
  /// The queue starts nothing from here on.
  case queueSuspended = 0x0E
  /// The queue starts operations again.
  case queueResumed = 0x0F
  /// `cancelAllOperations()` was called.
  case queueCancelledAll = 0x10
  /// The span with this id ends, on any thread.
  case spanEnded = 0x11
  /// The queue object is gone.
  case queueReleased = 0x12
  /// `isFinished` was asked and said true, though no change was announced yet. Since 1.1.
  case finishSeen = 0x13
  /// The stack of the thread at the record before it. Since 1.3.
  case stoodAt = 0x14
  /// A block of a dispatch queue begins to run on this thread. Since 1.4.
  case runBegan = 0x15
  /// That block has returned. Since 1.4.
  case runEnded = 0x16
  /// A block of a dispatch queue is gone, and will not run. Since 1.4.
  case blockDropped = 0x17
  /// A task begins to run on this thread, or goes on there. Since 1.4.
  case taskRun = 0x1C
  /// A task is over. Since 1.4.
  case taskCompleted = 0x1D
  /// The completion block of an operation that is over is given to a thread. Since 1.5.
  case completionQueued = 0x1E
  /// That completion block begins. Since 1.5.
  case completionBegan = 0x1F
  /// That completion block has returned. Since 1.5.
  case completionEnded = 0x20
  /// ``started`` and ``executionBegan``, at once. Since 1.6.
  case startedBegan = 0x21
  /// ``executionEnded`` and ``finished``, at once. Since 1.6.
  case endedFinished = 0x22
  /// ``dependencyAdded``, on the operation with the number before. Since 1.6.
  case dependsOnLast = 0x23

  // Two words.
  /// The clock's value, where it is far from the last record's. No event: readers resolve it.
  case time = 0x40
  /// The records from here on in this chunk are of another thread. No event: readers resolve it.
  case threadSwitched = 0x41
  /// So many records of this thread were lost right before this one; the subject is a ``LossReason``.
  case lost = 0x42
  /// The first record of an operation: class, coverage, age.
  case operationCreated = 0x43
  /// A dependency on another operation.
  case dependencyAdded = 0x44
  /// A dependency was taken away.
  case dependencyRemoved = 0x45
  /// Given to a queue; written before the queue gets it.
  case enqueued = 0x46
  /// The queue priority was set.
  case priorityChanged = 0x47
  /// The operation's quality of service was set.
  case qualityChanged = 0x48
  /// How many operations the queue may run at once was set; -1: as many as the system allows.
  case limitChanged = 0x49
  /// One block of a block operation begins.
  case blockBegan = 0x4A
  /// That block has returned.
  case blockEnded = 0x4B
  /// The queue's quality of service was set.
  case queueQualityChanged = 0x4C
  /// Whether the queue runs its operations on the main thread was set.
  case queueMainChanged = 0x4D
  /// The wait on this object, which ``blocked`` recorded, is over on this thread. Since 1.1.
  case unblocked = 0x4E
  /// A snapshot of the threads of the process is complete; the ``threadSeen`` before it belong to it. Since 1.3.
  case looked = 0x4F
  /// ``ready`` and ``enqueued``, at once. Since 1.6.
  case enqueuedReady = 0x50
  /// A task may go on, and waits for its turn. Since 1.4.
  case taskEnqueued = 0x58
  /// A task stops running on this thread. Since 1.4.
  case taskSuspended = 0x59
  /// Processor time that the thread had used at the record before it. Since 1.5.
  case processorTime = 0x5A
  /// An operation, a block or a task was submitted inside of a span. Since 1.5.
  case submittedWithin = 0x5B
  /// A continuation that a task waits for, or is about to, is resumed. Since 1.8.
  case taskResumed = 0x5C
  /// Where a thread was when a share of processor time was used up. Since 1.8.
  case sampled = 0x5D
  /// The same, inside of a system call. Since 1.8.
  case sampledInKernel = 0x5E
  /// A long turn of a thread's event loop: it has ended, or still runs. Since 1.9.
  case loopTurn = 0x5F
  /// A snapshot of the threads of the process is complete; only what has changed since the one before was recorded. Since
  /// 1.10.
  case lookedAgain = 0x60
  /// A block of memory whose allocation was sampled was freed. Since 1.10.
  case freed = 0x61
  /// Such a block has another size. Since 1.10.
  case resized = 0x62
  /// What is in such a block that lives. Since 1.10.
  case allocationClass = 0x63

  // Three words.
  /// The two system clocks at this record's ticks. No event: readers resolve it.
  case calibration = 0x80
  /// The operation's thread has been blocking on an object for a while. Since 1.1.
  case blocked = 0x81
  /// Who signalled, left or used that object last; comes right after ``blocked`` or ``unblocked``. Since 1.1.
  case signalled = 0x82
  /// What a class is: its module, and the code that its operations run. A definition. Since 1.3.
  case classDescribed = 0x83
  /// A frame of a stack: where its code is, and which frame called it. A definition. Since 1.3.
  case frame = 0x84
  /// One thread of a snapshot; ``stoodAt`` after it has its stack. Since 1.3.
  case threadSeen = 0x85
  /// A thread still waits for an operation or a queue, and where. Since 1.3.
  case waitLasts = 0x86
  /// ``operationCreated``, ``ready`` and ``enqueued``, at once. Since 1.6.
  case added = 0x88
  /// ``operationCreated``, ``dependencyAdded`` on the operation with the number before, and ``enqueued``, at once. Since 1.6.
  case addedBehindLast = 0x89
  /// A block is given to a dispatch queue. Since 1.4.
  case blockSubmitted = 0x87
  /// How allocations of memory are sampled. A definition. Since 1.10.
  case memory = 0x8A
  /// Where a thread was when it allocated memory that was sampled. Since 1.10.
  case allocated = 0x8B
  /// A task is created. Since 1.4.
  case taskCreated = 0x8C
  /// A task is given to an actor, and waits for it. Since 1.8.
  case taskQueued = 0x8D
  /// How the program's processor time is sampled. A definition. Since 1.8.
  case profile = 0x8E
  /// How much processor time the program has used while it was sampled. Since 1.8.
  case sampling = 0x8F
  /// What a thread's event loop has done in about a second. Since 1.9.
  case loopTurns = 0x90
  /// How long the program's threads waited for a processor. Since 1.10.
  case machine = 0x91
  /// One of those that alone could still end a wait, or nobody. Since 1.10.
  case onlyBy = 0x92
  /// What was taken while something else was held, or could be: each such order once. Since 1.10.
  case order = 0x93
  /// Who took something in that order, and where. Since 1.10.
  case ordered = 0x94
  /// Which place waits for a semaphore or a group, and which place signals it. Since 1.10.
  case handover = 0x95
  /// What was not recorded of orders. Since 1.10.
  case orders = 0x96
  /// Who has started a thread that is in orders, or has waited for its end. Since 1.10.
  case threadBegun = 0x97
  /// How much memory the process has, and how many samples of it were lost. Since 1.10.
  case memoryUse = 0xA0
  /// A block of memory that lives, in a ring that may have forgotten its allocation. Since 1.10.
  case allocationLives = 0xA1

  // Variable.
  /// A text that other records name by its id. No event: readers resolve it.
  case string = 0xC0
  /// The operation's name, and the source location where it was made.
  case operationNamed = 0xC1
  /// A queue at first sight: its name, limit and quality of service.
  case queueCreated = 0xC2
  /// The queue has another name.
  case queueRenamed = 0xC3
  /// A thread: its number in the trace, the system's id, its name.
  case threadNamed = 0xC4
  /// Finished with an error, whose description is the text.
  case finishedWithError = 0xC5
  /// A moment that the program names.
  case mark = 0xC6
  /// A named piece of work begins.
  case spanBegan = 0xC7
  /// The name of an object that is waited on: a dispatch queue's label. Since 1.1.
  case objectNamed = 0xC8
  /// A file whose code is in the process. A definition. Since 1.3.
  case image = 0xC9
  /// What a frame's code is called, and its line. A definition. Since 1.3.
  case symbol = 0xCA
  /// A dispatch queue at first sight. A definition. Since 1.4.
  case dispatchQueue = 0xCB
  /// Where a span of the program's own tracer belongs: its parent, its kind, its ids. Since 1.9.
  case spanContext = 0xCC
  /// An attribute of a span. Since 1.9.
  case spanAttribute = 0xCD
  /// How a span went. Since 1.9.
  case spanStatus = 0xCE
  /// A span that another one names. Since 1.9.
  case spanLink = 0xCF
  /// A span has another name. Since 1.9.
  case spanNamed = 0xD0
  /// The trace was made from outside, and what was left out of it. Since 1.10.
  case outside = 0xD1

  /// The table's line for this kind.
  public var spec: EventSpec { EventSpec.of(self) }
}

extension EventSpec {
  private static let priorities = Field.Values.within(-8...8)
  /// As the meaning of `qos` lists them.
  private static let qualities = Field.Values.within(0...4)
  /// As the meaning of `seen` lists them.
  private static let states = Field.Values.within(0...5)
  /// -1: none.
  private static let limits = Field.Values.from(-1)

  /// Every kind, in the order of the documentation.
  public static let table: [EventSpec] = [
    // An operation's life.
    EventSpec(
      .operationCreated, "created", .operation,
      [
        .init("class", 1, 0, 16, .string(.class)), .init("coverage", 1, 16, 4, .unsigned(.within(0...2))),
        .init("async", 1, 20, 1, .flag), .init("own-ready", 1, 21, 1, .flag, since: 2), .init("age", 1, 24, 40, .age),
      ],
      carry: .whileUnfinished, bound: .begins(.operation), life: .subject,
      meaning:
        "first record of an operation; a second one changes its coverage from there on. `coverage`: 0 full, 1 partial, 2 external (only named as a dependency). `own-ready` (since 1.2): its class overrides `isReady`. `age`: since the object was created"
    ),
    EventSpec(
      .operationNamed, "named", .operation, [.init("source", 1, 32, 16, .string(.location))], text: .init(.name, at: 2),
      carry: .whileUnfinished, life: .nobody,
      meaning: "the operation's name, and its creation site (`file:line`) if known"),
    EventSpec(
      .dependencyAdded, "depends", .operation, [.init("on", 1, 0, 32, .operation)],
      carry: .whileUnfinished, life: .nobody, meaning: "a dependency on another operation"),
    EventSpec(
      .dependencyRemoved, "undepends", .operation, [.init("on", 1, 0, 32, .operation)],
      carry: .whileUnfinished, life: .nobody, meaning: "a dependency was removed"),
    EventSpec(
      .enqueued, "enqueued", .operation,
      [
        .init("queue", 1, 0, 32, .queue), .init("priority", 1, 32, 8, .signed(priorities)),
        .init("qos", 1, 40, 8, .unsigned(qualities)),
        .init("barrier", 1, 48, 1, .flag),
      ],
      carry: .whileUnfinished, life: .subject,
      meaning: "added to a queue; written before the queue knows"),
    EventSpec(
      .ready, "ready", .operation,
      carry: .whileUnfinished, life: .subject,
      meaning:
        "`isReady` turned true, on the thread that removed the last obstacle. The last one before the start counts"
    ),
    EventSpec(
      .started, "started", .operation, carry: .whileUnfinished, life: .subject,
      meaning: "`start()` was entered"),
    EventSpec(
      .executionBegan, "began", .operation, carry: .whileUnfinished, life: .subject,
      meaning: "the operation's own code begins"),
    EventSpec(
      .blockBegan, "block-began", .operation, [.init("index", 1, 0, 32, .unsigned(.any))],
      carry: .whileUnfinished, life: .subject, meaning: "one block of a block operation"),
    EventSpec(
      .blockEnded, "block-ended", .operation, [.init("index", 1, 0, 32, .unsigned(.any))], carry: .whileUnfinished,
      life: .subject, meaning: "the end of that block"),
    EventSpec(
      .executionEnded, "ended", .operation, carry: .whileUnfinished, life: .subject,
      meaning: "the operation's own code has returned"),
    EventSpec(
      .finished, "finished", .operation, carry: .whileUnfinished, bound: .ends(.operation), life: .subject,
      meaning: "`isFinished` turns true; written before anybody is notified"),
    EventSpec(
      .finishSeen, "finish-seen", .operation, carry: .whileUnfinished, life: .nobody, since: 1,
      meaning: "`isFinished` is true, though no change was announced yet"),
    EventSpec(
      .finishedWithError, "failed", .operation, text: .init(.error, at: 2),
      carry: .whileUnfinished, bound: .ends(.operation), life: .subject,
      meaning: "finished with an error; the text describes it"),
    EventSpec(
      .finishedAgain, "finished-again", .operation, carry: .whileUnfinished, life: .nobody,
      meaning: "`finish()` was called again: misuse, ignored"),
    EventSpec(
      .startReturned, "start-returned", .operation, carry: .whileUnfinished, life: .subject,
      meaning: "`start()` returned; an asynchronous operation may go on"),
    EventSpec(
      .cancelRequested, "cancel", .operation, carry: .whileUnfinished, life: .subject,
      meaning: "`cancel()` was called"),
    EventSpec(
      .released, "released", .operation, carry: .whileUnfinished, bound: .follows(.operation), life: .subject,
      meaning: "the object was released"),
    EventSpec(
      .priorityChanged, "priority", .operation, [.init("value", 1, 0, 64, .signed(priorities))],
      carry: .whileUnfinished, life: .nobody, meaning: "the queue priority was set"),
    EventSpec(
      .qualityChanged, "qos", .operation, [.init("value", 1, 0, 64, .unsigned(qualities))],
      carry: .whileUnfinished, life: .nobody,
      meaning:
        "the quality of service: 0 default, 1 background, 2 utility, 3 user initiated, 4 user interactive"),

    EventSpec(
      .completionQueued, "completion", .operation, part: .remark, carry: .never, life: .nobody, since: 5,
      meaning: "right behind the end of an operation that has a completion block"),
    EventSpec(
      .completionBegan, "completion-began", .operation, part: .remark, carry: .never, life: .writer, since: 5,
      meaning: "its completion block begins on this thread"),
    EventSpec(
      .completionEnded, "completion-ended", .operation, part: .remark, carry: .never, life: .writer, since: 5,
      meaning: "its completion block has returned"),
    EventSpec(
      .processorTime, "cpu", .operation, [.init("used", 1, 0, 64, .unsigned(.any))], part: .remark,
      carry: .withRecordBefore, life: .nobody, since: 5,
      meaning:
        "processor time in nanoseconds that this thread had used at the record before: `began`, `ended` or `start-returned`"
    ),

    // Several events of an operation in one record. Each stands for what happened at one moment on one thread.
    EventSpec(
      .added, "added", .operation,
      [
        .init("class", 1, 0, 16, .string(.class)), .init("coverage", 1, 16, 4, .unsigned(.within(0...2))),
        .init("async", 1, 20, 1, .flag), .init("own-ready", 1, 21, 1, .flag), .init("age", 1, 24, 40, .age),
        .init("queue", 2, 0, 32, .queue), .init("priority", 2, 32, 8, .signed(priorities)),
        .init("qos", 2, 40, 8, .unsigned(qualities)),
      ],
      part: .bookkeeping, carry: .whileUnfinished, bound: .begins(.operation), life: .subject,
      packing: [.init(.operationCreated), .init(.ready), .init(.enqueued, .secondWord)], since: 6,
      meaning: "`created` (word 1), `ready` and `enqueued` (word 2)"),
    EventSpec(
      .addedBehindLast, "added-behind-last", .operation,
      [
        .init("class", 1, 0, 16, .string(.class)), .init("coverage", 1, 16, 4, .unsigned(.within(0...2))),
        .init("async", 1, 20, 1, .flag), .init("own-ready", 1, 21, 1, .flag), .init("age", 1, 24, 40, .age),
        .init("queue", 2, 0, 32, .queue), .init("priority", 2, 32, 8, .signed(priorities)),
        .init("qos", 2, 40, 8, .unsigned(qualities)),
      ],
      part: .bookkeeping, carry: .whileUnfinished, bound: .begins(.operation), life: .subject,
      packing: [.init(.operationCreated), .init(.dependencyAdded, .subjectBefore), .init(.enqueued, .secondWord)],
      since: 6,
      meaning:
        "`created`, `depends` on the operation with the number before, `enqueued`"
    ),
    EventSpec(
      .enqueuedReady, "enqueued-ready", .operation,
      [
        .init("queue", 1, 0, 32, .queue), .init("priority", 1, 32, 8, .signed(priorities)),
        .init("qos", 1, 40, 8, .unsigned(qualities)),
      ],
      part: .bookkeeping, carry: .whileUnfinished, life: .subject,
      packing: [.init(.ready), .init(.enqueued)], since: 6,
      meaning: "`ready` and `enqueued`"),
    EventSpec(
      .dependsOnLast, "depends-on-last", .operation, part: .bookkeeping, carry: .whileUnfinished, life: .nobody,
      packing: [.init(.dependencyAdded, .subjectBefore)], since: 6,
      meaning: "`depends` on the operation with the number before"),
    EventSpec(
      .startedBegan, "started-began", .operation, part: .bookkeeping, carry: .whileUnfinished, life: .subject,
      packing: [.init(.started), .init(.executionBegan)], since: 6,
      meaning: "`started` and `began`"),
    EventSpec(
      .endedFinished, "ended-finished", .operation, part: .bookkeeping, carry: .whileUnfinished,
      bound: .ends(.operation), life: .subject, packing: [.init(.executionEnded), .init(.finished)], since: 6,
      meaning: "`ended` and `finished`"),

    // Waits.
    EventSpec(
      .waitBegan, "wait", .operation, carry: .untilEnded, bound: .begins(.wait), life: .writer,
      meaning: "this thread blocks until the operation has finished"),
    EventSpec(
      .waitEnded, "waited", .operation, carry: .never, bound: .ends(.wait), life: .writer,
      meaning: "that wait is over"),
    EventSpec(
      .queueWaitBegan, "wait-queue", .queue, carry: .untilEnded, bound: .begins(.queueWait), life: .writer,
      meaning: "this thread blocks until the queue is empty"),
    EventSpec(
      .queueWaitEnded, "waited-queue", .queue, carry: .never, bound: .ends(.queueWait), life: .writer,
      meaning: "that wait is over"),

    EventSpec(
      .blocked, "blocked", .operation,
      [
        .init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind), .init("age", 2, 0, 40, .age),
        .init("thread", 2, 40, 24, .thread),
      ], part: .remark, carry: .untilEnded, bound: .begins(.blockedWait), life: .subject, since: 1,
      meaning:
        "the operation's thread has been blocked on this object for `age`; operation 0: a thread outside operations (since 1.5). `thread`: the blocked thread, if another one writes the record; 0: the record's own"
    ),
    EventSpec(
      .unblocked, "unblocked", .operation,
      [.init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind)], part: .remark,
      carry: .besidesBeginning,
      bound: .ends(.blockedWait), life: .subject, since: 1,
      meaning: "the wait of `blocked` is over on this thread"),
    EventSpec(
      .signalled, "signalled", .operation,
      [
        .init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind), .init("age", 2, 0, 40, .age),
        .init("thread", 2, 40, 24, .thread),
      ], part: .remark, carry: .withWaitBefore, life: .nobody, since: 1,
      meaning:
        "right behind `blocked` or `unblocked`: the last signal, leave or use of the object was `age` ago, in this operation (0: none), by `thread` (0: unknown). Of a lock (since 1.10): `thread` had it when the wait began"
    ),
    EventSpec(
      .objectNamed, "object-named", .none, [.init("object", 2, 0, 48, .address)], text: .init(.object, at: 3),
      carry: .whileNewest, life: .nobody, since: 1,
      meaning:
        "the name of an object that is waited on: a dispatch queue's label, or what a system call does (since 1.10)"),
    EventSpec(
      .waitLasts, "wait-lasts", .none,
      [
        .init("thread", 1, 0, 24, .thread), .init("is-queue", 1, 24, 1, .flag),
        .init("on", 1, 32, 32, .unsigned(.any)), .init("at", 2, 0, 32, .frame),
      ], carry: .whileWaited, life: .nobody, since: 3,
      meaning:
        "`thread` still waits, at the frame `at`, for the operation or queue with the number `on`; written by another thread"
    ),

    // Snapshots of the threads, when nothing moves.
    EventSpec(
      .threadSeen, "seen", .thread,
      [
        .init("cpu", 1, 0, 32, .unsigned(.any)), .init("owner", 1, 32, 24, .thread),
        .init("state", 1, 56, 4, .unsigned(states)), .init("running", 1, 60, 1, .flag),
        .init("ended", 1, 61, 1, .flag), .init("timed", 1, 62, 1, .flag),
        .init("still", 1, 63, 1, .flag, since: 4),
        .init("lock", 2, 0, 48, .lock), .init("call", 2, 48, 12, .unsigned(.any)),
        .init("reason", 2, 60, 4, .unsigned(.any)),
      ], carry: .never, life: .nobody, since: 3,
      meaning:
        "a thread in a snapshot; `at` behind it says where. `cpu`: processor time in milliseconds. `state`: 0 unknown, 1 running, 2 asleep, 3 asleep uninterruptibly, 4 stopped, 5 ended. `running`: on a processor. `call`: the number of the system call it slept in, plus 1; 0: none. `reason`: a `SleepReason`. `lock`: what it slept on; for the reasons `poll` and `input` the kinds of descriptors, a sum of `EventSource` (0: not known), and for these and `child` the `EventEnd` in bits 16 to 19 and a process in bits 20 to 47 (since 1.10). `owner`: who held it; `ended`: that thread is gone. `timed`: with a timeout. `still` (since 1.4): it did not run until all threads were seen; otherwise call, reason and `at` are left out"
    ),
    EventSpec(
      .looked, "looked", .none,
      [
        .init("seen", 1, 0, 16, .unsigned(.any)), .init("moved", 1, 16, 16, .unsigned(.any)),
        .init("refused", 1, 32, 16, .unsigned(.any)), .init("request", 1, 48, 16, .unsigned(.any)),
      ], carry: .never, life: .nobody, since: 3,
      meaning:
        "the end of a snapshot: how many `seen` come before it, how many threads ran meanwhile, and for how many the system refused. `request`: the low bits of the header's request that it answers; 0: none"
    ),

    // Definitions.
    EventSpec(
      .lookedAgain, "looked-again", .none,
      [
        .init("seen", 1, 0, 16, .unsigned(.any)), .init("unchanged", 1, 16, 16, .unsigned(.any)),
        .init("moved", 1, 32, 16, .unsigned(.any)), .init("refused", 1, 48, 16, .unsigned(.any)),
      ], carry: .never, life: .nobody, since: 10,
      meaning:
        "a snapshot of all threads is complete that has only what is new since the one before. The last `seen` records `seen` belong to it: threads that are new or have changed, and those with `state` 5, which have ended. `unchanged`: how many other threads are as in the snapshot before. `moved`, `refused`: as in `looked`"
    ),

    EventSpec(
      .classDescribed, "class", .none,
      [
        .init("name", 1, 0, 16, .string(.class)), .init("class", 1, 16, 16, .string(.class)),
        .init("module", 1, 32, 16, .string(.module)), .init("code", 2, 0, 32, .frame),
      ],
      part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "describes a class of `created`. `class`: the real class of blocks, which have a name each. `module`: its Swift module. `code`: the function that its operations run, if not the class's own"
    ),
    EventSpec(
      .image, "image", .image,
      [
        .init("build", 1, 32, 16, .string(.build)), .init("page", 2, 0, 36, .unsigned(.any)),
        .init("pages", 2, 36, 28, .unsigned(.any)),
      ], text: .init(.image, at: 3), part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "a file whose code is in the process: its path. `build`: its build id. `page`, `pages`: address and length in units of 4 KiB. Another image may have had these addresses before"
    ),
    EventSpec(
      .frame, "frame", .frame,
      [
        .init("image", 1, 0, 16, .image), .init("offset", 1, 16, 47, .unsigned(.any)),
        .init("guessed", 1, 63, 1, .flag),
        .init("caller", 2, 0, 32, .frame), .init("returns", 2, 32, 1, .flag),
        .init("library", 2, 33, 3, .unsigned(.within(0...5)), since: 8), .init("cut", 2, 36, 1, .flag, since: 8),
      ], part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "a frame; the innermost one names the stack. `offset`: the address in the image's file; without an image, in memory. `returns`: a return address, so the call is before it. `guessed`: found without an unwind rule. `caller`: the next frame outside. `library` (since 1.8): of code that is linked into the program's file: 1 Swift's runtime and standard library, 2 libdispatch, 3 Swift's overlay of it, 4 Foundation, 5 another one; 0: the image's own. `cut` (since 1.8): its callers are not known, because only a part of the stack was read"
    ),
    EventSpec(
      .symbol, "symbol", .frame,
      [
        .init("inlined", 1, 32, 8, .unsigned(.any)), .init("short", 1, 40, 16, .string(.function)),
        .init("line", 2, 0, 24, .unsigned(.any)), .init("file", 2, 24, 16, .string(.location)),
        .init("module", 2, 40, 16, .string(.module)),
      ], text: .init(.function, at: 3), part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "the name of a frame's code. `inlined`: its depth among inlined functions; the innermost has 0. `short`: the name for people. Without a text: that of the last one with the same `short`, `file` and `module`. Frames of the same code share the symbols of the first"
    ),

    EventSpec(
      .stoodAt, "at", .frame, part: .event, carry: .withRecordBefore, life: .nobody, since: 3,
      meaning:
        "the stack of the record before it: where an operation was made or added, a queue was made, a wait began, a task was suspended"
    ),

    // Blocks of dispatch queues.
    EventSpec(
      .blockSubmitted, "submitted", .block,
      [
        .init("by", 1, 0, 32, .operation), .init("queue", 1, 32, 20, .dispatch),
        .init("how", 1, 52, 4, .unsigned(.within(0...4))), .init("group", 1, 56, 1, .flag),
        .init("item", 1, 57, 1, .flag), .init("alone", 1, 58, 1, .flag, since: 7),
        .init("code", 2, 0, 32, .frame), .init("at", 2, 32, 32, .frame),
      ], carry: .whileUnfinished, bound: .begins(.block), life: .subject, since: 4,
      meaning:
        "submitted to a dispatch queue; written before the queue has it. `by`: the work that did it; 0: none. `how`: 0 `async`, 1 barrier, 2 after a time, 3 when a group is empty, 4 `sync`. `group`: in a group. `item`: a work item; each submission has a number. `alone` (since 1.7): a barrier, also where `how` is another way. `code`: what it runs. `at`: the submission site"
    ),
    EventSpec(
      .runBegan, "run", .block, carry: .whileUnfinished, life: .subject, since: 4,
      meaning: "the block begins on this thread"),
    EventSpec(
      .runEnded, "ran", .block, carry: .whileUnfinished, bound: .ends(.block), life: .subject, since: 4,
      meaning: "the block has returned"),
    EventSpec(
      .blockDropped, "dropped", .block, carry: .whileUnfinished, bound: .ends(.block), life: .subject, since: 4,
      meaning: "the block will not run: its work item was cancelled, or its queue released"),
    EventSpec(
      .dispatchQueue, "dispatch-queue", .dispatch,
      [
        .init("width", 1, 32, 32, .signed(limits)), .init("target", 2, 0, 20, .dispatch),
        .init("main", 2, 32, 1, .flag),
        .init("global", 2, 33, 1, .flag),
        .init("stopped", 2, 34, 2, .unsigned(.within(0...2)), since: 10),
      ], text: .init(.object, at: 3), part: .definition, carry: .whileReferenced, life: .nobody, since: 4,
      meaning:
        "a dispatch queue at first sight: its label. A flight recorder may use a number again for another queue, once nothing in it refers to the old one. `width`: how many blocks it runs at once; 1: serial; 0: the system's limit; -1: unknown. `target`: its target queue, if not the system's. `main`: the main thread's. `global`: one of the system's. `stopped` (since 1.10): 1 is suspended, 2 was never activated; 0: neither, or not known"
    ),

    // Tasks.
    EventSpec(
      .taskCreated, "task", .task,
      [
        .init("by", 1, 0, 32, .operation), .init("how", 1, 32, 4, .unsigned(.within(0...3))),
        .init("priority", 1, 36, 8, .unsigned(.any)), .init("enqueued", 1, 44, 1, .flag),
        .init("main", 1, 45, 1, .flag, since: 7), .init("code", 2, 0, 32, .frame), .init("at", 2, 32, 32, .frame),
      ], carry: .whileUnfinished, bound: .begins(.task), life: .subject, since: 4,
      meaning:
        "a task is created. `by`: the work that did it; 0: none. `how`: 0 `Task`, 1 detached, 2 in a group, 3 `async let`; the last two are children of `by`. `priority`: 25 high, 21 medium, 17 low, 9 background. `enqueued`: it waits for its turn from here on, without a `task-enqueued`. `main` (since 1.7): for the main thread. `code`: what it runs; what a thunk calls is its caller. `at`: the creation site, with some callers. A task that goes to an actor may run before this is written"
    ),
    EventSpec(
      .taskEnqueued, "task-enqueued", .task,
      [.init("by", 1, 0, 32, .operation), .init("main", 1, 32, 1, .flag, since: 7)],
      carry: .sinceSuspended, life: .subject, since: 4,
      meaning:
        "the task can go on, and waits for its turn. `by`: the work that resumed it; 0: none. `main` (since 1.7): its turn on the main thread. For a wait for an actor: `task-queued`"
    ),
    EventSpec(
      .taskQueued, "task-queued", .task,
      [
        .init("actor", 1, 0, 32, .unsigned(.any)), .init("class", 1, 32, 16, .string(.class)),
        .init("by", 2, 0, 32, .operation),
      ],
      carry: .sinceSuspended, life: .subject, since: 8,
      meaning:
        "the task is given to an actor, and waits for it until it runs. `actor`: a number for its address. `class`: its class. `by`: as in `task-enqueued`"
    ),
    EventSpec(
      .taskResumed, "task-resumed", .task,
      [.init("by", 1, 0, 32, .operation), .init("how", 1, 32, 4, .unsigned(.within(0...2)))],
      carry: .sinceSuspended, life: .subject, since: 8,
      meaning:
        "its continuation is resumed, maybe before the task is suspended. `by`: the work that does it; 0: none. `how`: 0 with a value, 1 the same of a checked or throwing one, 2 with an error"
    ),
    EventSpec(
      .taskRun, "task-run", .task, carry: .sinceSuspended, life: .subject, since: 4,
      meaning: "the task runs on this thread"),
    EventSpec(
      .taskSuspended, "task-suspended", .task,
      [.init("reason", 1, 0, 4, .unsigned(.within(0...5))), .init("for", 1, 32, 32, .operation)],
      carry: .sinceSuspended, life: .subject, since: 4,
      meaning:
        "the task stops running on this thread. `reason`: 0 unknown, 1 waits for the task `for`, 2 for a continuation, 3 for its group, 4 goes to another actor or executor, 5 sleeps. `at` behind it: the functions that go on then"
    ),
    EventSpec(
      .taskCompleted, "task-completed", .task, carry: .whileUnfinished, bound: .ends(.task), life: .subject, since: 4,
      meaning:
        "the task is over, before anybody who waits for it goes on; or, if that is not heard, when its thread takes up something else"
    ),

    // Queues.
    EventSpec(
      .queueCreated, "queue", .queue,
      [
        .init("limit", 1, 32, 32, .signed(limits)), .init("qos", 2, 0, 8, .unsigned(qualities)),
        .init("main", 2, 8, 1, .flag),
        .init("suspended", 2, 9, 1, .flag),
      ], text: .init(.queue, at: 3),
      carry: .whileQueueExists, bound: .begins(.queue), life: .subject,
      meaning: "a queue at first sight: its name and limit (-1: the system's)"),
    EventSpec(
      .queueRenamed, "queue-named", .queue, text: .init(.queue, at: 2), carry: .whileQueueExists, life: .nobody,
      meaning: "the queue was renamed"),
    EventSpec(
      .queueSuspended, "suspended", .queue, carry: .whileQueueExists, life: .subject,
      meaning: "the queue starts nothing from here on"),
    EventSpec(
      .queueResumed, "resumed", .queue, carry: .whileQueueExists, life: .subject,
      meaning: "the queue starts operations again"),
    EventSpec(
      .limitChanged, "limit", .queue, [.init("value", 1, 0, 64, .signed(limits))],
      carry: .whileQueueExists, life: .subject,
      meaning: "how many operations may run at once; -1: the system's limit"),
    EventSpec(
      .queueQualityChanged, "queue-qos", .queue, [.init("value", 1, 0, 64, .unsigned(qualities))],
      carry: .whileQueueExists, life: .nobody,
      meaning: "its quality of service; values as in `qos`"),
    EventSpec(
      .queueMainChanged, "queue-main", .queue, [.init("value", 1, 0, 64, .unsigned(.within(0...1)))],
      carry: .whileQueueExists, life: .nobody,
      meaning: "whether it runs operations on the main thread: 1 yes, 0 no"),
    EventSpec(
      .queueCancelledAll, "cancel-all", .queue, carry: .whileQueueExists, life: .subject,
      meaning: "`cancelAllOperations()` was called"),
    EventSpec(
      .queueReleased, "queue-released", .queue, carry: .whileQueueExists, bound: .ends(.queue), life: .subject,
      meaning: "the queue was released"),

    // The user's own events.
    EventSpec(
      .mark, "mark", .operation, text: .init(.mark, at: 2), part: .remark, carry: .never, life: .subject,
      meaning: "a moment that the program named; operation 0: none"),
    EventSpec(
      .spanBegan, "span", .operation, [.init("id", 1, 32, 32, .unsigned(.any))], text: .init(.span, at: 2),
      part: .remark, carry: .untilEnded, bound: .begins(.span), life: .subject,
      meaning: "a named span begins; operation 0: none"),
    EventSpec(
      .spanEnded, "span-ended", .span, carry: .never, bound: .ends(.span), life: .subject,
      meaning: "the span ends, on any thread"),
    EventSpec(
      .spanContext, "span-context", .span,
      [.init("parent", 1, 32, 32, .unsigned(.any)), .init("kind", 2, 0, 4, .unsigned(.within(0...4)))],
      text: .init(.context, at: 3), carry: .whileSpanOpen, life: .nobody, since: 9,
      meaning:
        "where a span of the program's own tracer belongs. `parent`: the span around it; 0: none in this trace. `kind`: 0 internal, 1 server, 2 client, 3 producer, 4 consumer. The text: its trace id (32 hexadecimal digits) and span id (16), as in a `traceparent`, and the span id of a parent in another process, with `-` between them"
    ),
    EventSpec(
      .spanAttribute, "span-attribute", .span, [.init("type", 1, 32, 4, .unsigned(.within(0...3)))],
      text: .init(.attribute, at: 2), carry: .whileSpanOpen, life: .subject, since: 9,
      meaning:
        "an attribute of the span, as `key=value`: up to the first `=` it is the key. The last one of a key counts. `type`: 0 text, 1 integer, 2 real number, 3 `true` or `false`"
    ),
    EventSpec(
      .spanStatus, "span-status", .span,
      [.init("code", 1, 32, 4, .unsigned(.within(0...2))), .init("left-out", 1, 40, 24, .unsigned(.any))],
      text: .init(.error, at: 2), carry: .whileSpanOpen, life: .subject, since: 9,
      meaning:
        "how the span went, with a message; the last one counts. `code`: 0 not set, 1 ok, 2 error. `left-out`: how many of its attributes and links were not recorded, because it has too many"
    ),
    EventSpec(
      .spanLink, "span-link", .span, [.init("to", 1, 32, 32, .unsigned(.any))],
      text: .init(.context, at: 2), carry: .whileSpanOpen, life: .subject, since: 9,
      meaning:
        "the span has to do with another one. `to`: its number; 0: it is not of this trace. The text: its ids, as in `span-context`"
    ),
    EventSpec(
      .spanNamed, "span-named", .span, text: .init(.span, at: 2), carry: .whileSpanOpen, life: .subject, since: 9,
      meaning: "the span was renamed"),
    EventSpec(
      .submittedWithin, "within", .operation, [.init("span", 1, 0, 32, .unsigned(.any))], part: .remark,
      carry: .whileUnfinished, life: .nobody, since: 5,
      meaning:
        "this work was submitted inside the span, by the thread or the task that was in it"
    ),

    // Samples of processor time.
    EventSpec(
      .profile, "profile", .none,
      [
        .init("period", 1, 0, 40, .unsigned(.any)), .init("by", 1, 40, 4, .unsigned(.within(0...1))),
        .init("kernel", 1, 44, 1, .flag), .init("refused", 1, 48, 16, .unsigned(.any)),
        .init("copied", 2, 0, 32, .unsigned(.any)),
      ], part: .definition, carry: .never, life: .nobody, since: 8,
      meaning:
        "processor time is sampled from here on. `period`: nanoseconds of a thread's processor time that a sample stands for. `by`: 0 the kernel's events, 1 timers of the threads. `kernel`: system calls, too. `copied`: bytes of stack that are read at most. `refused`: the system's error number, if it does not allow it; 0: it does"
    ),
    EventSpec(
      .sampled, "sampled", .frame, [.init("age", 1, 0, 40, .age), .init("thread", 1, 40, 24, .thread)],
      carry: .never, life: .nobody, since: 8,
      meaning: "`thread` was here, `age` ago: the innermost frame of its stack; 0: not known"),
    EventSpec(
      .sampledInKernel, "sampled-in-kernel", .frame,
      [.init("age", 1, 0, 40, .age), .init("thread", 1, 40, 24, .thread)],
      carry: .never, life: .nobody, since: 8,
      meaning: "the same, in a system call that was made there"),
    EventSpec(
      .sampling, "sampling", .none,
      [
        .init("used", 1, 0, 64, .unsigned(.any)), .init("lost", 2, 0, 32, .unsigned(.any)),
        .init("missing", 2, 32, 32, .unsigned(.any)),
      ], carry: .never, life: .nobody, since: 8,
      meaning:
        "`used`: processor time in nanoseconds that the program has used since `profile`, without the recorder's own thread. `lost`: samples that found no room until here. `missing`: threads that are not sampled"
    ),

    // Event loops: threads that wait in `epoll_wait`.
    EventSpec(
      .loopTurn, "loop-turn", .thread,
      [.init("age", 1, 0, 40, .age), .init("open", 1, 40, 1, .flag), .init("manager", 1, 41, 1, .flag)],
      carry: .never, life: .nobody, since: 9,
      meaning:
        "a turn of the thread's event loop that lasted 10 ms or more: from the return of `epoll_wait`, `age` ago, to its next call. `open`: it still runs; written again about once a minute. `manager`: as in `loop-turns`"
    ),
    EventSpec(
      .loopTurns, "loop-turns", .thread,
      [
        .init("turns", 1, 0, 24, .unsigned(.any)), .init("manager", 1, 24, 1, .flag), .init("open", 1, 25, 1, .flag),
        .init("longest", 1, 32, 32, .unsigned(.any)), .init("busy", 2, 0, 32, .unsigned(.any)),
        .init("idle", 2, 32, 32, .unsigned(.any)),
      ],
      carry: .never, life: .nobody, since: 9,
      meaning:
        "what the thread's event loop did in the `busy` and `idle` microseconds until here: in its turns, and waiting. `turns`: those that ended. `longest`: of those and of one that still runs, in microseconds, rounded up. `manager`: it is libdispatch's own thread. `open`: a turn runs. About once a second; left out while one turn or one wait goes on, so what is between two records was all busy if the first one says `open`, else all idle"
    ),

    // The machine.
    EventSpec(
      .machine, "machine", .none,
      [
        .init("over", 1, 0, 24, .unsigned(.any)), .init("waited", 1, 24, 40, .unsigned(.any)),
        .init("used", 2, 0, 32, .unsigned(.any)), .init("throttled", 2, 32, 16, .unsigned(.any)),
        .init("processors", 2, 48, 16, .unsigned(.any)),
      ],
      carry: .never, life: .nobody, since: 10,
      meaning:
        "in the `over` microseconds until here the program's threads could have run for `waited` microseconds, added up, and had no processor; they ran for `used` microseconds. `throttled`: milliseconds in which its control group was stopped at its limit. `processors`: how many the program may use, in hundredths. Only where a twentieth of the time was waited, or the group was stopped; of at most 256 threads"
    ),

    // Orders in which locks and the like are taken.
    EventSpec(
      .order, "order", .none,
      [
        .init("object", 1, 0, 48, .lock), .init("kind", 1, 48, 4, .unsigned(.within(1...9))),
        .init("reader", 1, 52, 1, .flag), .init("try", 1, 53, 1, .flag), .init("timed", 1, 54, 1, .flag),
        .init("kept", 1, 55, 1, .flag),
        .init("number", 2, 0, 16, .unsigned(.from(1))), .init("outer", 2, 16, 16, .unsigned(.any)),
        .init("of", 2, 32, 32, .unsigned(.any)),
      ],
      carry: .always, life: .nobody, since: 10,
      meaning:
        "something was taken, or waited for, while `outer` was held, the number of another such record; 0: nothing was. Each order once, as records `ordered` say. `kind`: a `HeldKind`. `object`: its address; 0: it has a number. `of`: that number, of a dispatch queue, a queue or an operation; else which one it is of all that were at this address. `reader`: for reading. `try`: without waiting. `timed`: with a time limit. `kept`: not taken in this order; something that was taken before it was given back"
    ),
    EventSpec(
      .ordered, "ordered", .operation,
      [
        .init("number", 1, 0, 16, .unsigned(.from(1))), .init("age", 1, 24, 40, .age),
        .init("at", 2, 0, 32, .frame), .init("thread", 2, 32, 24, .thread),
      ],
      part: .remark, carry: .always, life: .nobody, since: 10,
      meaning:
        "`thread` did what the `order` with this number says, `age` ago, in this work (0: none), at the frame `at`. The first time, and up to three times by others; written by another thread"
    ),
    EventSpec(
      .handover, "handover", .operation,
      [
        .init("at", 1, 0, 32, .frame), .init("signalled-at", 1, 32, 32, .frame),
        .init("by", 2, 0, 32, .unsigned(.any)),
        .init("kind", 2, 32, 4, .unsigned(.within(1...9))), .init("waited", 2, 36, 1, .flag),
        .init("timed", 2, 37, 1, .flag), .init("lock", 2, 38, 1, .flag), .init("count", 2, 40, 24, .unsigned(.any)),
      ],
      part: .remark, carry: .always, life: .nobody, since: 10,
      meaning:
        "a thread in this work (0: none) waited at the frame `at` for a semaphore or a group, however short, and `by` (0: no work) let it go on at the frame `signalled-at`. Once for two such places, and again with a larger `count`. `kind`: a `HeldKind`. `waited`: it was not signalled yet. `timed`: with a time limit. `lock`: who signals had waited for it before, as if it were a lock"
    ),
    EventSpec(
      .orders, "orders", .none,
      [
        .init("lost", 1, 0, 32, .unsigned(.any)), .init("deep", 1, 32, 32, .unsigned(.any)),
        .init("alike", 2, 0, 32, .unsigned(.any)), .init("moved", 2, 32, 32, .unsigned(.any)),
      ],
      carry: .always, life: .nobody, since: 10,
      meaning:
        "orders are recorded; the last one counts. `lost`: orders that found no room. `deep`: acquisitions by threads that held too much, or were too many. `alike`: orders of other objects at places of which enough are recorded. `moved`: locks that another thread gave back than the one that took them"
    ),

    EventSpec(
      .threadBegun, "thread-begun", .thread,
      [
        .init("by", 1, 0, 32, .unsigned(.any)), .init("from", 1, 32, 24, .thread), .init("joined", 1, 56, 1, .flag),
        .init("age", 2, 0, 40, .age),
      ],
      carry: .always, life: .nobody, since: 10,
      meaning:
        "the thread, which is in orders, was started `age` ago by the thread `from` (0: not known), in the work `by` (0: none). `joined`: there it was waited for until it had ended"
    ),

    // Memory.
    EventSpec(
      .memory, "memory", .none,
      [
        .init("interval", 1, 0, 40, .unsigned(.any)), .init("how", 1, 40, 4, .unsigned(.within(0...1))),
        .init("allocator", 1, 44, 4, .unsigned(.within(0...4))), .init("refused", 1, 48, 16, .unsigned(.any)),
        .init("room", 2, 0, 32, .unsigned(.any)),
      ],
      part: .definition, carry: .never, life: .nobody, since: 10,
      meaning:
        "allocations are sampled from here on. `interval`: every byte that is allocated is chosen with a chance of one in so many, and an allocation is sampled if one of its bytes is; 1: all are. Another such record has another interval. `how`: 0 by import tables, 1 at the entries of functions in the program. `allocator`: 0 another one, 1 glibc, 2 jemalloc, 3 tcmalloc, 4 mimalloc. `refused`: why nothing is sampled: 1 a sanitizer has its own allocator, 2 the allocator is linked into the program, 3 no memory; 0: it is. `room`: how many sampled blocks may live at once"
    ),
    EventSpec(
      .allocated, "allocated", .frame,
      [
        .init("size", 1, 0, 40, .unsigned(.any)), .init("thread", 1, 40, 24, .thread),
        .init("number", 2, 0, 32, .allocation), .init("call", 2, 32, 4, .unsigned(.within(0...4))),
        .init("object", 2, 36, 1, .flag), .init("age", 2, 37, 27, .age),
      ],
      carry: .never, life: .nobody, since: 10,
      meaning:
        "a sampled allocation: `thread` allocated `size` bytes `age` ago, with this innermost frame; 0: not known. `number`: of the block, if it is watched from here on; 0: it is not, because it was watched before or there was no room. `call`: 0 `malloc`, 1 `calloc`, 2 `realloc`, by which the block has grown by `size`, 3 with an alignment, 4 `operator new`. `object`: for an object of Swift's"
    ),
    EventSpec(
      .freed, "freed", .allocation,
      [.init("class", 1, 0, 16, .string(.class)), .init("age", 1, 24, 40, .age)],
      carry: .never, life: .nobody, since: 10,
      meaning: "the block was freed `age` ago. `class`: of the object in it; 0: not known"
    ),
    EventSpec(
      .resized, "resized", .allocation,
      [.init("size", 1, 0, 40, .unsigned(.any)), .init("age", 1, 40, 24, .age)],
      carry: .never, life: .nobody, since: 10,
      meaning: "the block has `size` bytes since `age` ago"
    ),
    EventSpec(
      .allocationClass, "allocation-class", .allocation, [.init("class", 1, 0, 16, .string(.class))],
      carry: .never, life: .nobody, since: 10,
      meaning: "the block lives, and an object of `class` is in it"
    ),
    EventSpec(
      .allocationLives, "lives", .frame,
      [
        .init("size", 1, 0, 40, .unsigned(.any)), .init("lived", 1, 40, 24, .unsigned(.any)),
        .init("number", 2, 0, 32, .allocation), .init("class", 2, 32, 16, .string(.class)),
        .init("thread", 2, 48, 16, .thread),
      ],
      carry: .never, life: .nobody, since: 10,
      meaning:
        "the block `number` lives, for `lived` units of 10 ms; written again and again in a flight recorder, which may have overwritten its `allocated`. The other fields are as there; `thread` 0: not known. The frame is that of its allocation"
    ),
    EventSpec(
      .memoryUse, "memory-use", .none,
      [
        .init("resident", 1, 0, 32, .unsigned(.any)), .init("anonymous", 1, 32, 32, .unsigned(.any)),
        .init("peak", 2, 0, 32, .unsigned(.any)), .init("lost", 2, 32, 32, .unsigned(.any)),
      ],
      carry: .never, life: .nobody, since: 10,
      meaning:
        "what the process has in memory, in KiB: `resident`, of that `anonymous` (in no file), and the `peak` of `resident` so far. `lost`: sampled allocations until here that found no room. About once a second"
    ),
    // A process that nobody recorded.
    EventSpec(
      .outside, "outside", .none,
      [
        .init("core", 1, 32, 1, .flag), .init("moved", 1, 33, 1, .flag), .init("timed", 1, 34, 1, .flag),
        .init("watched", 1, 40, 24, .unsigned(.any)),
      ], text: .init(.missing, at: 2), carry: .never, life: .nobody, since: 10,
      meaning:
        "nobody recorded the process: its events lead to what was found in it, or in its `core`. One for each part that was left out; the text says why. `moved`: threads ran meanwhile. `timed`: if not, the times mean nothing. `watched`: for so many milliseconds"
    ),

    EventSpec(
      .onlyBy, "only-by", .none,
      [
        .init("by", 1, 0, 32, .operation), .init("for", 1, 32, 32, .operation), .init("thread", 2, 0, 24, .thread),
        .init("waiter", 2, 24, 24, .thread), .init("possibly", 2, 48, 1, .flag),
      ], carry: .never, life: .nobody, since: 10,
      meaning:
        "`by` or `thread`, or those of other such records, alone could end the wait of task `for` or thread `waiter`; neither: nobody. A thread may not; `possibly`: nor refer to it"
    ),

    // Bookkeeping.
    EventSpec(
      .threadNamed, "thread", .thread, [.init("tid", 1, 32, 32, .systemThread)], text: .init(.thread, at: 2),
      carry: .never, life: .nobody,
      meaning: "a thread: the system's id, its name"),
    EventSpec(
      .threadSwitched, "thread-switched", .thread, [.init("tid", 1, 0, 32, .systemThread)],
      part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "from here on the chunk's records are of another thread"),
    EventSpec(
      .string, "string", .string, text: .init(.interned, at: 2), part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "a text that records name by its id"),
    EventSpec(
      .time, "time", .none, [.init("ticks", 1, 0, 64, .unsigned(.any))],
      part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "the clock, after a long gap"),
    EventSpec(
      .calibration, "calibration", .none,
      [.init("monotonic", 1, 0, 64, .unsigned(.any)), .init("wall", 2, 0, 64, .unsigned(.any))],
      part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "the system's clocks (nanoseconds) at this record's ticks"),
    EventSpec(
      .lost, "lost", .reason, [.init("count", 1, 0, 64, .unsigned(.any))],
      carry: .never, life: .nobody,
      meaning: "records of this thread that were lost right before; reasons as in the header"),
  ]
}
