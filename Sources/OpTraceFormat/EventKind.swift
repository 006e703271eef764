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
/// To add a kind: a case here, a line in ``EventSpec/table``.
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

  /// The table's line for this kind.
  public var spec: EventSpec { EventSpec.of(self) }
}

/// The size class in the two high bits of a record's first byte.
public enum RecordSize {
  /// Words in the record, or nil when the second word says how many.
  @inlinable
  public static func fixedWords(kind: UInt8) -> Int? {
    let sizeClass = Int(kind >> 6)
    return sizeClass == 3 ? nil : sizeClass + 1
  }
}
