/// What a thread does: from `/proc`, or from the registers in a core.
package struct ThreadState: Hashable, Sendable {
  /// How often a thread was given a processor, and for how many nanoseconds it had one. If neither has changed, it has not run.
  package struct Runs: Hashable, Sendable {
    package var times: UInt64
    package var time: UInt64
  }

  /// The system's id.
  package var id: UInt32
  /// Nil: not known, as in a core.
  package var name: String?
  /// The system's letter for its state; nil: not known, as in a core.
  package var letter: UInt8?
  /// The system call that it is in; nil: none.
  package var call: Int32?
  /// Of that call; empty: not known.
  package var arguments: [UInt64] = []
  /// Nil: not known, because it ran when it was looked at.
  package var registers: Registers?
  /// Nil: the system does not count.
  package var runs: Runs?
  /// When it was last seen to run, in nanoseconds of the clock of the processor on which it did. Nil: the system does not say.
  package var lastRan: UInt64?
  /// On which one it has last run. Nil: not known, as in a core.
  package var processor: UInt32?

  package struct Registers: Hashable, Sendable {
    package var pc: UInt64
    package var sp: UInt64
    /// Nil: not known.
    package var bp: UInt64?
  }

  package init(id: UInt32) { self.id = id }
}
