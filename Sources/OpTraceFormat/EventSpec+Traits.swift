// What an event means for others. Everything that treats some kinds unlike others asks the table for one of these, so
// that a new kind defines it once.

extension EventSpec {
  /// Whether a flight recorder carries the record on, when its chunk is used again.
  package enum Carry: Sendable, Hashable, CaseIterable {
    /// Forgotten with its chunk: a moment's, or what a reader finds elsewhere.
    case never
    /// As long as its operation, its block or its task has not finished: without it the operation that hangs would be reported wrongly.
    case whileUnfinished
    /// The same, from where its task was suspended last: what came before is many records of a task that lives long.
    case sinceSuspended
    /// As long as its queue exists.
    case whileQueueExists
    /// Until what it begins has ended (``Bound/begins(_:)``).
    case untilEnded
    /// As long as its span has not ended.
    case whileSpanOpen
    /// The end of a wait, as long as the wait's beginning may still be in the ring.
    case besidesBeginning
    /// With the wait of the record before it, to which it belongs.
    case withWaitBefore
    /// With the record before it, whatever that is.
    case withRecordBefore
    /// As long as the thread that it names waits for what it names.
    case whileWaited
    /// The newest name of an address.
    case whileNewest
    /// As long as records in the ring refer to it, and while the program can still use it.
    case whileReferenced
    /// For good: whoever writes such records writes few.
    case always
  }

  /// What lasts from one record to another.
  package enum Lasting: Sendable, Hashable, CaseIterable {
    /// Until it has finished.
    case operation
    /// Until it has run, or will not.
    case block
    /// Until it has returned.
    case task
    case queue
    /// On an operation, and on a queue: by the thread that waits.
    case wait, queueWait
    /// On a semaphore and the like.
    case blockedWait
    case span
  }

  /// Whether the record is the first or the last of something that lasts.
  package enum Bound: Sendable, Hashable {
    case none
    case begins(Lasting)
    case ends(Lasting)
    /// It has ended by now, whether that was seen or not.
    case follows(Lasting)
  }

  /// Who goes on, as the record shows. The doctor takes a program without such signs for one that hangs.
  package enum Life: Sendable, Hashable, CaseIterable {
    /// Nobody: something was set or asked, maybe by somebody who only watches, or it is about the past.
    case nobody
    /// Its subject, where it has one: the operation, the queue, the span's operation. At the time that its age
    /// gives, if it has one.
    case subject
    /// Who writes it: the operation that executes on its thread, else the thread.
    case writer
  }

  /// What a record is besides a statement about its subject.
  package enum Part: Sendable, Hashable, CaseIterable {
    /// An event.
    case event
    /// An event that names its operation by the way: 0 is none, and the operation may be over and gone.
    case remark
    /// A fact about the program that others refer to. Mostly recorded once and of no thread (its thread is 0): then a ring keeps it for
    /// good.
    case definition
    /// No event: the file's bookkeeping, which a reader resolves.
    case bookkeeping
  }

  /// One of the events that a record of several in one stands for.
  package struct PackedPart: Sendable, Hashable {
    /// Where its second word is from, if it has one.
    package enum Word: Sendable, Hashable {
      /// The packed record's second word.
      case sameWord
      /// Its third.
      case secondWord
      /// The subject's number less one.
      case subjectBefore
    }

    package let kind: EventKind
    package let word: Word

    init(_ kind: EventKind, _ word: Word = .sameWord) {
      self.kind = kind
      self.word = word
    }
  }
}
