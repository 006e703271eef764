/// Who could still end a wait: whoever signals, leaves or resumes needs the address of what is waited for, so somebody has it in memory.
package struct FoundEnders: Hashable, Sendable {
  /// What is waited for.
  package enum Awaited: Hashable, Sendable, Comparable {
    /// A semaphore or a group, by its address.
    case object(UInt64)
    /// The continuation of a task.
    case continuation(of: UInt64)
  }

  /// Something that could.
  package enum Ender: Hashable, Sendable {
    /// Those that have not ended, by their addresses.
    case task(UInt64), operation(UInt64)
    /// A block that waits in a dispatch queue, by its item's address.
    case item(UInt64)
    /// A thread that refers to what is waited for, and waits for something else. Whether it would use it is not known.
    case thread(UInt32)
    /// A thread that nothing shows to refer to it, but whose registers are not known.
    case possibly(UInt32)
  }

  /// All of them, where all are known. Empty: nobody is left.
  package private(set) var enders: [Awaited: Set<Ender>] = [:]
  /// More memory, or more that is waited for, than is looked at.
  package private(set) var isTooMuch = false

  package init() {}

  init(_ enders: [Awaited: Set<Ender>], isTooMuch: Bool) { (self.enders, self.isTooMuch) = (enders, isTooMuch) }

  package static let tooMuch = FoundEnders([:], isTooMuch: true)

  /// The items of dispatch queues among them.
  var items: Set<UInt64> {
    var items: Set<UInt64> = []
    for case .item(let item) in enders.values.joined() { items.insert(item) }
    return items
  }
}
