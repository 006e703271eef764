import Dispatch

/// Does both at the same time, on two processors where there are two.
func both<One: Sendable, Other: Sendable>(
  _ one: @Sendable () -> One, _ other: @Sendable () -> Other
) -> (One, Other) {
  let first = Slot<One>()
  let second = Slot<Other>()
  DispatchQueue.concurrentPerform(iterations: 2) { part in
    if part == 0 { first.value = one() } else { second.value = other() }
  }
  // Both have been done; where one was not, which cannot be, it is done now.
  return (first.value ?? one(), second.value ?? other())
}

/// Sendable: one thread writes it, and the other reads it after `concurrentPerform` has returned.
private final class Slot<Value>: @unchecked Sendable {
  var value: Value?
}
