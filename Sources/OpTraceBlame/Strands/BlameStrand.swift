package import OpTraceModel

/// Something in a trace that does one thing at a time.
package enum BlameStrand: Hashable, Sendable {
  /// An operation, a block or a task, by its index among all work.
  case work(Int)
  /// A thread, whatever runs on it.
  case thread(ThreadID)
}

/// What a strand waited for.
package struct BlameResource: Hashable, Sendable {
  /// The kind. The raw value is the word in JSON and tables.
  package enum Kind: String, Sendable, CaseIterable {
    /// A thread of the pool that runs tasks.
    case thread
    /// A turn on the main thread.
    case main
    case actor
    /// A turn of an executor that the program brings along, for example to run an actor on a dispatch queue.
    case executor
    /// A slot of an operation queue.
    case slot
    /// A turn on a dispatch queue.
    case queue
    case dependency
    case lock
    /// A signal of a semaphore, a group or a condition.
    case signal
    /// A turn of an event loop.
    case loop
    /// Somebody resumes its continuation: hands it a connection, an element of a stream, an answer.
    case continuation
    /// Work that it awaits.
    case child
    /// It was not yet submitted.
    case submission
  }

  package var kind: Kind
  /// Its name; empty: none.
  package var name: String
  /// Where it was waited for, as an index of a location; -1: not known.
  package var location: Int32

  package init(_ kind: Kind, _ name: String = "", _ location: Int32 = -1) {
    (self.kind, self.name, self.location) = (kind, name, location)
  }
}

/// Where blame ends.
package struct BlameEnd: Hashable, Sendable {
  /// The kind. The raw value is the word in JSON and tables.
  package enum Kind: String, Sendable, CaseIterable {
    /// A function ran on a processor.
    case code
    /// A call blocked its thread: a system call, a disk, a sleep.
    case call
    /// It waited for time to pass, without a thread.
    case sleep
    /// It waited for something outside of the program, in an event loop: an answer, a timer.
    case outside
    /// A thread was free and nobody used it, or code ran and got no processor.
    case machine
    /// Nothing more is known.
    case unknown
  }

  package var kind: Kind
  /// What a call does; empty: nothing more to say.
  package var name: String
  /// Where, as an index of a location; -1: not known.
  package var location: Int32
  /// The program's own function that called the one there, likewise: what runs or blocks is often a helper of many.
  package var caller: Int32

  package init(_ kind: Kind, _ name: String = "", _ location: Int32 = -1, caller: Int32 = -1) {
    (self.kind, self.name, self.location, self.caller) = (kind, name, location, caller)
  }

  /// Who had it is not known: it was handed on by work, there, that never had to wait for one.
  package static let givenBack = "given back for others"
  /// Who had it is not known, but that it is a thing that is handed on.
  static let hadByOthers = "had by others"
  /// What calls do that are no system calls by name.
  package static let threadSleep = "sleep"
  package static let disk = "sync to a disk"
  /// Waits that lead back to who waits.
  static let endless = BlameEnd(.unknown, "a circle of waits")
  package var isEndless: Bool { self == .endless }
}

package typealias StrandPiece = BlamePiece<BlameStrand, BlameResource, BlameEnd>

/// Pieces that follow one another and cover a stretch.
struct StretchPieces {
  private(set) var all: [StrandPiece] = []
  private(set) var at: Nanoseconds
  private let end: Nanoseconds

  init(_ from: Nanoseconds, _ to: Nanoseconds) { (at, end) = (from, max(from, to)) }

  /// Adds what was done from where the pieces end. Nothing, if they reach that time already.
  mutating func add(until time: Nanoseconds, _ state: StrandPiece.State) {
    let time = min(time, end)
    guard time > at else { return }
    all.append(StrandPiece(at, time, state))
    at = time
  }

  /// Adds pieces that cover what follows.
  mutating func add(_ pieces: [StrandPiece]) {
    for piece in pieces { add(until: piece.ended, piece.state) }
  }

  /// What is left is not known.
  mutating func finish() -> [StrandPiece] {
    add(until: end, .ends(BlameEnd(.unknown)))
    return all
  }
}
