/// One line of the event table: the source of the reader, the text form, the checks and `Documentation/format.md`.
public struct EventSpec: Sendable {
  /// What the high 32 bits of the first word name.
  public enum Subject: String, Sendable {
    /// Nothing: 0.
    case none
    /// The serial number of an operation. Blocks of dispatch queues and tasks have their numbers from the same sequence, so what is
    /// told of operations may be told of one.
    case operation
    /// The serial number of a block of a dispatch queue.
    case block
    /// The serial number of a task.
    case task
    /// The number of a dispatch queue.
    case dispatch
    /// The number of a queue.
    case queue
    /// The number of a thread.
    case thread
    /// The id of an interned text.
    case string
    /// The number of a span.
    case span
    /// A ``LossReason``.
    case reason
    /// The number of an image: a file whose code is in the process.
    case image
    /// The number of a frame.
    case frame
  }

  /// The kind that this line is of.
  public let kind: EventKind
  /// The word of the text form.
  public let name: String
  /// What the record is about.
  public let subject: Subject
  /// The values in its second and third word, in the order of the text form.
  public let fields: [Field]
  /// Nil: the record carries no text.
  package let text: Text?
  package let part: Part
  package let carry: Carry
  package let bound: Bound
  package let life: Life
  /// What a record of several events in one stands for, in their order; empty: for itself. Readers take it apart, so nobody
  /// behind them sees one.
  package let parts: [EventSpec.PackedPart]
  /// The minor version of the format that brought this kind.
  public let since: Int
  /// What it says, in words, with what its fields hold.
  public let meaning: String

  /// What would be forgotten in silence has no default.
  init(
    _ kind: EventKind, _ name: String, _ subject: Subject, _ fields: [Field] = [], text: Text? = nil,
    part: Part = .event, carry: Carry, bound: Bound = .none, life: Life, packing parts: [PackedPart] = [],
    since: Int = 0, meaning: String
  ) {
    self.kind = kind
    self.name = name
    self.subject = subject
    self.fields = fields
    self.text = text
    self.part = part
    self.carry = carry
    self.bound = bound
    self.life = life
    self.parts = parts
    self.since = since
    self.meaning = meaning
  }

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
        "first record of an operation; an external one that is met itself has a second, and so has one of full coverage of which it turns out that its start was not seen: `coverage` is 1 from there on. `coverage`: 0 full, 1 partial, 2 external (only named as a dependency). `own-ready` (since 1.2): its class overrides `isReady`. `age`: how long before this record the object was created"
    ),
    EventSpec(
      .operationNamed, "named", .operation, [.init("source", 1, 32, 16, .string(.place))], text: .init(.name, at: 2),
      carry: .whileUnfinished, life: .nobody,
      meaning: "the operation's name, and the place in the source (`file:line`) where it was made, if known"),
    EventSpec(
      .dependencyAdded, "depends", .operation, [.init("on", 1, 0, 32, .operation)],
      carry: .whileUnfinished, life: .nobody, meaning: "a dependency on another operation"),
    EventSpec(
      .dependencyRemoved, "undepends", .operation, [.init("on", 1, 0, 32, .operation)],
      carry: .whileUnfinished, life: .nobody, meaning: "a dependency was taken away"),
    EventSpec(
      .enqueued, "enqueued", .operation,
      [
        .init("queue", 1, 0, 32, .queue), .init("priority", 1, 32, 8, .signed(priorities)),
        .init("qos", 1, 40, 8, .unsigned(qualities)),
        .init("barrier", 1, 48, 1, .flag),
      ],
      carry: .whileUnfinished, life: .subject,
      meaning: "given to a queue; written before the queue is told"),
    EventSpec(
      .ready, "ready", .operation,
      carry: .whileUnfinished, life: .subject,
      meaning:
        "`isReady` was asked and said true; the thread is the one that removed the last obstacle. What counts is the last turn to true before the start"
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
      meaning: "`isFinished` turns true; written before anybody is told"),
    EventSpec(
      .finishSeen, "finish-seen", .operation, carry: .whileUnfinished, life: .nobody, since: 1,
      meaning: "`isFinished` was asked and said true, though no change was announced yet"),
    EventSpec(
      .finishedWithError, "failed", .operation, text: .init(.error, at: 2),
      carry: .whileUnfinished, bound: .ends(.operation), life: .subject,
      meaning: "finished with an error, whose description is the text"),
    EventSpec(
      .finishedAgain, "finished-again", .operation, carry: .whileUnfinished, life: .nobody,
      meaning: "`finish()` was called once more: misuse, ignored"),
    EventSpec(
      .startReturned, "start-returned", .operation, carry: .whileUnfinished, life: .subject,
      meaning: "`start()` returned; an asynchronous operation may run on"),
    EventSpec(
      .cancelRequested, "cancel", .operation, carry: .whileUnfinished, life: .subject,
      meaning: "`cancel()` was called"),
    EventSpec(
      .released, "released", .operation, carry: .whileUnfinished, bound: .follows(.operation), life: .subject,
      meaning: "the object is gone"),
    EventSpec(
      .priorityChanged, "priority", .operation, [.init("value", 1, 0, 64, .signed(priorities))],
      carry: .whileUnfinished, life: .nobody, meaning: "the queue priority was set"),
    EventSpec(
      .qualityChanged, "qos", .operation, [.init("value", 1, 0, 64, .unsigned(qualities))],
      carry: .whileUnfinished, life: .nobody,
      meaning:
        "the quality of service was set: 0 default, 1 background, 2 utility, 3 user initiated, 4 user interactive"),

    EventSpec(
      .completionQueued, "completion", .operation, part: .remark, carry: .never, life: .nobody, since: 5,
      meaning: "stands right behind the end of an operation that has a completion block: it is given to a thread next"),
    EventSpec(
      .completionBegan, "completion-began", .operation, part: .remark, carry: .never, life: .writer, since: 5,
      meaning: "the completion block of that operation begins on this thread"),
    EventSpec(
      .completionEnded, "completion-ended", .operation, part: .remark, carry: .never, life: .writer, since: 5,
      meaning: "that completion block has returned"),
    EventSpec(
      .processorTime, "cpu", .operation, [.init("used", 1, 0, 64, .unsigned(.any))], part: .remark,
      carry: .withRecordBefore, life: .nobody, since: 5,
      meaning:
        "processor time that this thread had used at the record before it, in nanoseconds: where an operation's code began and ended, or its `start()` returned"
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
      meaning: "`created`, `ready` and `enqueued` at once: word 1 is that of `created`, word 2 that of `enqueued`"),
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
        "`created`, `depends` on the operation with the number before, and `enqueued` at once; words as those of `added`"
    ),
    EventSpec(
      .enqueuedReady, "enqueued-ready", .operation,
      [
        .init("queue", 1, 0, 32, .queue), .init("priority", 1, 32, 8, .signed(priorities)),
        .init("qos", 1, 40, 8, .unsigned(qualities)),
      ],
      part: .bookkeeping, carry: .whileUnfinished, life: .subject,
      packing: [.init(.ready), .init(.enqueued)], since: 6,
      meaning: "`ready` and `enqueued` at once"),
    EventSpec(
      .dependsOnLast, "depends-on-last", .operation, part: .bookkeeping, carry: .whileUnfinished, life: .nobody,
      packing: [.init(.dependencyAdded, .subjectBefore)], since: 6,
      meaning: "`depends`, on the operation with the number before its own"),
    EventSpec(
      .startedBegan, "started-began", .operation, part: .bookkeeping, carry: .whileUnfinished, life: .subject,
      packing: [.init(.started), .init(.executionBegan)], since: 6,
      meaning: "`started` and `began` at once"),
    EventSpec(
      .endedFinished, "ended-finished", .operation, part: .bookkeeping, carry: .whileUnfinished,
      bound: .ends(.operation), life: .subject, packing: [.init(.executionEnded), .init(.finished)], since: 6,
      meaning: "`ended` and `finished` at once"),

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
        "the operation's thread has been blocking on this object for `age`; operation 0: a thread outside of all (since 1.5). `thread`: the thread that blocks, where another one writes the record; 0: the record's own"
    ),
    EventSpec(
      .unblocked, "unblocked", .operation,
      [.init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind)], part: .remark,
      carry: .besidesBeginning,
      bound: .ends(.blockedWait), life: .subject, since: 1,
      meaning: "the wait on this object, which `blocked` told of, is over on this thread"),
    EventSpec(
      .signalled, "signalled", .operation,
      [
        .init("object", 1, 0, 48, .address), .init("kind", 1, 48, 8, .objectKind), .init("age", 2, 0, 40, .age),
        .init("thread", 2, 40, 24, .thread),
      ], part: .remark, carry: .withWaitBefore, life: .nobody, since: 1,
      meaning:
        "stands right behind `blocked` or `unblocked`: the last signal, leave or use of that object was `age` ago, in this operation (0: in none), by `thread` (0: not known)"
    ),
    EventSpec(
      .objectNamed, "object-named", .none, [.init("object", 2, 0, 48, .address)], text: .init(.object, at: 3),
      carry: .whileNewest, life: .nobody, since: 1,
      meaning: "the name of an object that is waited on: a dispatch queue's label"),
    EventSpec(
      .waitLasts, "wait-lasts", .none,
      [
        .init("thread", 1, 0, 24, .thread), .init("is-queue", 1, 24, 1, .flag),
        .init("on", 1, 32, 32, .unsigned(.any)), .init("at", 2, 0, 32, .frame),
      ], carry: .whileWaited, life: .nobody, since: 3,
      meaning:
        "this thread still waits, at the frame `at`, for the operation or the queue with the number `on`, as `wait` and `wait-queue` told; written by another thread"
    ),

    // Looks at the threads, when nothing moves.
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
        "what this thread did when the recorder looked. `cpu`: processor time that it had used, in milliseconds. `state`: 0 not known, 1 running, 2 asleep, 3 asleep in the kernel alone, 4 stopped, 5 ended. `running`: on a processor at that moment. `call`: the number of the system call that it slept in, and 1; 0: none. `reason`: what that is for (`SleepReason`). `lock`: what it slept on. `owner`: the thread that had it; `ended`: which is gone. `timed`: it goes on by itself after a time. `still` (since 1.4): it slept, and did not run until every thread had been seen; of one that did run, call, reason and `at` are left out. `at` stands behind it, for where"
    ),
    EventSpec(
      .looked, "looked", .none,
      [
        .init("seen", 1, 0, 16, .unsigned(.any)), .init("moved", 1, 16, 16, .unsigned(.any)),
        .init("refused", 1, 32, 16, .unsigned(.any)), .init("request", 1, 48, 16, .unsigned(.any)),
      ], carry: .never, life: .nobody, since: 3,
      meaning:
        "the end of a look at all threads: how many `seen` stand before it, how many threads went on until all were seen (so their stack is not known), and of how many the system told nothing. `request`: the lowest bits of the header's request that it answers; 0: of its own accord"
    ),

    // Definitions.
    EventSpec(
      .classDescribed, "class", .none,
      [
        .init("name", 1, 0, 16, .string(.class)), .init("class", 1, 16, 16, .string(.class)),
        .init("module", 1, 32, 16, .string(.module)), .init("code", 2, 0, 32, .frame),
      ],
      part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "what `created` names as a class. `class`: the class's own name, where blocks have one each. `module`: the Swift module that it is from. `code`: the function that its operations run, where they do not run the class's own"
    ),
    EventSpec(
      .image, "image", .image,
      [
        .init("build", 1, 32, 16, .string(.build)), .init("page", 2, 0, 36, .unsigned(.any)),
        .init("pages", 2, 36, 28, .unsigned(.any)),
      ], text: .init(.image, at: 3), part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "a file whose code is in the process, by its path. `build`: its build id. `page`, `pages`: where in memory it begins and how long it is, in units of 4 KiB"
    ),
    EventSpec(
      .frame, "frame", .frame,
      [
        .init("image", 1, 0, 16, .image), .init("offset", 1, 16, 47, .unsigned(.any)),
        .init("guessed", 1, 63, 1, .flag),
        .init("caller", 2, 0, 32, .frame), .init("returns", 2, 32, 1, .flag),
      ], part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "a frame of a stack; the number of the innermost one stands for the whole. `offset`: the code's address as the image's own file has it; without an image, in memory. `returns`: it is a return address, so the call stands before it. `guessed`: no rule of the compiler's led there. `caller`: the frame outside of it"
    ),
    EventSpec(
      .symbol, "symbol", .frame,
      [
        .init("inlined", 1, 32, 8, .unsigned(.any)), .init("short", 1, 40, 16, .string(.function)),
        .init("line", 2, 0, 24, .unsigned(.any)), .init("file", 2, 24, 16, .string(.place)),
        .init("module", 2, 40, 16, .string(.module)),
      ], text: .init(.function, at: 3), part: .definition, carry: .never, life: .nobody, since: 3,
      meaning:
        "what a frame's code is called, found out where the image's file was. `inlined`: how many functions are inlined between it and the innermost one, which has 0. `short`: the name for people. Frames of the same code share the symbols of the first"
    ),

    EventSpec(
      .stoodAt, "at", .frame, part: .event, carry: .withRecordBefore, life: .nobody, since: 3,
      meaning:
        "where the thread stood in the record before it, to which it belongs: where an operation was made or added, a queue was made, a wait began, a task was suspended"
    ),

    // Blocks of dispatch queues.
    EventSpec(
      .blockSubmitted, "submitted", .block,
      [
        .init("by", 1, 0, 32, .operation), .init("queue", 1, 32, 20, .dispatch),
        .init("how", 1, 52, 4, .unsigned(.within(0...4))), .init("group", 1, 56, 1, .flag),
        .init("item", 1, 57, 1, .flag), .init("code", 2, 0, 32, .frame), .init("at", 2, 32, 32, .frame),
      ], carry: .whileUnfinished, bound: .begins(.block), life: .subject, since: 4,
      meaning:
        "a block is given to a dispatch queue; written before the queue has it. `by`: the operation or block that did it; 0: none. `how`: 0 `async`, 1 as a barrier, 2 after a time, 3 when a group is empty, 4 `sync`: who submits it waits until it is over. `group`: it belongs to a group. `item`: it is a work item, of which each submission has a number. `code`: what it runs. `at`: the program's place that did it"
    ),
    EventSpec(
      .runBegan, "run", .block, carry: .whileUnfinished, life: .subject, since: 4,
      meaning: "a block begins to run on this thread"),
    EventSpec(
      .runEnded, "ran", .block, carry: .whileUnfinished, bound: .ends(.block), life: .subject, since: 4,
      meaning: "that block has returned"),
    EventSpec(
      .blockDropped, "dropped", .block, carry: .whileUnfinished, bound: .ends(.block), life: .subject, since: 4,
      meaning: "the block is gone and will not run: its work item was cancelled, or its queue went"),
    EventSpec(
      .dispatchQueue, "dispatch-queue", .dispatch,
      [
        .init("width", 1, 32, 32, .signed(limits)), .init("target", 2, 0, 20, .dispatch),
        .init("main", 2, 32, 1, .flag),
        .init("global", 2, 33, 1, .flag),
      ], text: .init(.object, at: 3), part: .definition, carry: .never, life: .nobody, since: 4,
      meaning:
        "a dispatch queue at first sight: its label. `width`: how many blocks it runs at once; 1: it is serial; 0: as many as the system allows; -1: not known. `target`: the queue that it hands its blocks to, where that is none of the system's. `main`: the main thread's. `global`: one of the system's own"
    ),

    // Tasks.
    EventSpec(
      .taskCreated, "task", .task,
      [
        .init("by", 1, 0, 32, .operation), .init("how", 1, 32, 4, .unsigned(.within(0...3))),
        .init("priority", 1, 36, 8, .unsigned(.any)), .init("enqueued", 1, 44, 1, .flag),
        .init("code", 2, 0, 32, .frame), .init("at", 2, 32, 32, .frame),
      ], carry: .whileUnfinished, bound: .begins(.task), life: .subject, since: 4,
      meaning:
        "a task is created. `by`: the operation, block or task that did it; 0: none. `how`: 0 `Task`, which inherits from who creates it, 1 detached, 2 a child in a group, 3 `async let`; the last two are children of `by`. `priority`: as the runtime has it, 25 high, 21 medium, 17 low, 9 background. `enqueued`: it waits for its turn from here on, and has no `task-enqueued` of its own for that. `code`: what it runs; where that is a thunk, what it passes on to stands as its caller. `at`: the program's place that did it, with some of its callers. One that goes to an actor may run before this is written"
    ),
    EventSpec(
      .taskEnqueued, "task-enqueued", .task, [.init("by", 1, 0, 32, .operation)],
      carry: .sinceSuspended, life: .subject, since: 4,
      meaning:
        "the task may go on, and waits for its turn. `by`: the operation, block or task that let it; 0: none. Of a task that waits for an actor which is busy this is not heard"
    ),
    EventSpec(
      .taskRun, "task-run", .task, carry: .sinceSuspended, life: .subject, since: 4,
      meaning: "the task runs on this thread from here on"),
    EventSpec(
      .taskSuspended, "task-suspended", .task,
      [.init("reason", 1, 0, 4, .unsigned(.within(0...5))), .init("for", 1, 32, 32, .operation)],
      carry: .sinceSuspended, life: .subject, since: 4,
      meaning:
        "the task stops running on this thread. `reason`: 0 not known, 1 it waits for the task `for`, 2 for a continuation, 3 for its group, 4 it goes to another actor or executor, 5 it sleeps. `at` stands behind it: the functions that go on then, as a stack"
    ),
    EventSpec(
      .taskCompleted, "task-completed", .task, carry: .whileUnfinished, bound: .ends(.task), life: .subject, since: 4,
      meaning: "the task has returned, and is over; heard as its thread takes up something else"),

    // Queues.
    EventSpec(
      .queueCreated, "queue", .queue,
      [
        .init("limit", 1, 32, 32, .signed(limits)), .init("qos", 2, 0, 8, .unsigned(qualities)),
        .init("main", 2, 8, 1, .flag),
        .init("suspended", 2, 9, 1, .flag),
      ], text: .init(.queue, at: 3),
      carry: .whileQueueExists, bound: .begins(.queue), life: .subject,
      meaning: "a queue at first sight: its name and its limit (-1: as many as the system allows)"),
    EventSpec(
      .queueRenamed, "queue-named", .queue, text: .init(.queue, at: 2), carry: .whileQueueExists, life: .nobody,
      meaning: "the queue has another name"),
    EventSpec(
      .queueSuspended, "suspended", .queue, carry: .whileQueueExists, life: .subject,
      meaning: "the queue starts nothing from here on"),
    EventSpec(
      .queueResumed, "resumed", .queue, carry: .whileQueueExists, life: .subject,
      meaning: "the queue starts operations again"),
    EventSpec(
      .limitChanged, "limit", .queue, [.init("value", 1, 0, 64, .signed(limits))],
      carry: .whileQueueExists, life: .subject,
      meaning: "how many operations may run at once; -1: as many as the system allows"),
    EventSpec(
      .queueQualityChanged, "queue-qos", .queue, [.init("value", 1, 0, 64, .unsigned(qualities))],
      carry: .whileQueueExists, life: .nobody,
      meaning: "the queue's quality of service; values as in `qos`"),
    EventSpec(
      .queueMainChanged, "queue-main", .queue, [.init("value", 1, 0, 64, .unsigned(.within(0...1)))],
      carry: .whileQueueExists, life: .nobody,
      meaning: "whether the queue runs its operations on the main thread from here on: 1 yes, 0 no"),
    EventSpec(
      .queueCancelledAll, "cancel-all", .queue, carry: .whileQueueExists, life: .subject,
      meaning: "`cancelAllOperations()` was called"),
    EventSpec(
      .queueReleased, "queue-released", .queue, carry: .whileQueueExists, bound: .ends(.queue), life: .subject,
      meaning: "the queue object is gone"),

    // The user's own events.
    EventSpec(
      .mark, "mark", .operation, text: .init(.mark, at: 2), part: .remark, carry: .never, life: .subject,
      meaning: "a moment that the program names; operation 0: none"),
    EventSpec(
      .spanBegan, "span", .operation, [.init("id", 1, 32, 32, .unsigned(.any))], text: .init(.span, at: 2),
      part: .remark, carry: .untilEnded, bound: .begins(.span), life: .subject,
      meaning: "a named piece of work begins; operation 0: none"),
    EventSpec(
      .spanEnded, "span-ended", .span, carry: .never, bound: .ends(.span), life: .subject,
      meaning: "the span with this id ends, on any thread"),
    EventSpec(
      .submittedWithin, "within", .operation, [.init("span", 1, 0, 32, .unsigned(.any))], part: .remark,
      carry: .whileUnfinished, life: .nobody, since: 5,
      meaning:
        "this operation, block or task was submitted inside of the span with that id: by the thread, or by the task on it, that was in the span"
    ),

    // Bookkeeping.
    EventSpec(
      .threadNamed, "thread", .thread, [.init("tid", 1, 32, 32, .systemThread)], text: .init(.thread, at: 2),
      carry: .never, life: .nobody,
      meaning: "a thread: its number in the trace, the system's id, its name"),
    EventSpec(
      .threadSwitched, "thread-switched", .thread, [.init("tid", 1, 0, 32, .systemThread)],
      part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "the records from here on in this chunk are of another thread"),
    EventSpec(
      .string, "string", .string, text: .init(.interned, at: 2), part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "a text that other records name by its id"),
    EventSpec(
      .time, "time", .none, [.init("ticks", 1, 0, 64, .unsigned(.any))],
      part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "the clock's value, where it is far from the last"),
    EventSpec(
      .calibration, "calibration", .none,
      [.init("monotonic", 1, 0, 64, .unsigned(.any)), .init("wall", 2, 0, 64, .unsigned(.any))],
      part: .bookkeeping, carry: .never, life: .nobody,
      meaning: "the two system clocks (nanoseconds) at this record's ticks"),
    EventSpec(
      .lost, "lost", .reason, [.init("count", 1, 0, 64, .unsigned(.any))],
      carry: .never, life: .nobody,
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

  /// What every raw kind has, by its number; nil: this version does not know it. For those who see millions of records: a
  /// line of the table is a large value.
  public static func column<Value>(_ value: (EventSpec?) -> Value) -> [Value] {
    (0...255).map { value(of(raw: UInt8($0))) }
  }

  /// The minor versions that brought something.
  package static var versions: [Int] { table.flatMap { [$0.since] + $0.fields.map(\.since) } }

  static func of(_ kind: EventKind) -> EventSpec {
    // Every kind has its line: a test compares the table with `EventKind.allCases`.
    byKind[Int(kind.rawValue)]
      ?? EventSpec(kind, "unlisted", .none, carry: .never, life: .nobody, meaning: "")
  }
}
