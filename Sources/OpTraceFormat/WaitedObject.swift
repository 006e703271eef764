/// What a thread blocks on, besides operations and operation queues.
public enum WaitedObject: UInt8, CaseIterable, Sendable {
  case semaphore = 1
  case group = 2
  /// A dispatch queue: `sync`.
  case queue = 3
  case condition = 4

  /// The word of the text form.
  public var word: String {
    switch self {
    case .semaphore: "semaphore"
    case .group: "group"
    case .queue: "queue"
    case .condition: "condition"
    }
  }
}
