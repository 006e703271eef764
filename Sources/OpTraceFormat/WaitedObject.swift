/// What a thread blocks on, besides operations and operation queues; and the call that adds to a queue, which may hang.
public enum WaitedObject: UInt8, CaseIterable, Sendable {
  /// A `DispatchSemaphore`: `wait()`.
  case semaphore = 1
  /// A `DispatchGroup`: `wait()`.
  case group = 2
  /// A dispatch queue: `sync`.
  case queue = 3
  /// An `NSCondition`, or a lock made of one: `wait()`.
  case condition = 4
  /// A call that adds to an operation queue, whose address stands for it.
  case adding = 5

  /// The word of the text form.
  public var word: String {
    switch self {
    case .semaphore: "semaphore"
    case .group: "group"
    case .queue: "queue"
    case .condition: "condition"
    case .adding: "adding"
    }
  }
}

/// What the second and third word of `blocked`, `signalled` and `unblocked` records say; the last has no third, which
/// counts as 0.
package struct BlockingFields: Sendable {
  private let fields: EventFields.Blocked

  package init(_ word1: UInt64, _ word2: UInt64) { fields = EventFields.Blocked(word1, word2) }

  /// Address and kind as one number, which names the object while it lives.
  package var object: UInt64 { EventFields.Unblocked(object: fields.object, kind: fields.kind).word1 }
  package var address: UInt64 { fields.object }
  /// A ``WaitedObject``'s raw value, or a number that this version does not know.
  package var kind: UInt8 { fields.kind }
  /// In units of ``Layout/ageUnit``; ``Layout/largestAge``: at least that.
  package var age: UInt64 { fields.age }
  /// 0: none.
  package var thread: UInt32 { fields.thread }
}
