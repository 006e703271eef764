/// An actor for which a task waits.
package struct FoundActor: Hashable, Sendable {
  package enum State: UInt8, Sendable { case idle, scheduled, running }

  package var address: UInt64
  package var name: String
  /// Swift's own, which runs on the main thread.
  package var isMain: Bool
  /// Nil: it has an executor of its own, or its state is not one that is known.
  package var state: State?

  /// Nil: there is no actor.
  init?(at address: UInt64, _ classes: SwiftClasses, _ view: MemoryView) {
    guard address % 8 == 0, let type = view.word(at: address).flatMap({ classes[$0] }), type.isActor else { return nil }
    self.address = address
    name = type.name
    isMain = type.name == "MainActor" && (type.module == "Swift" || type.module == "_Concurrency")
    state = type.isDefaultActor ? view.word(at: address &+ 32).flatMap { State(rawValue: UInt8($0 & 7)) } : nil
  }
}
