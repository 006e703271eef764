import Foundation

/// One of many classes, each of which computes a little.
class NumberedOperation: Operation, @unchecked Sendable {
  override required init() {}
  override func main() { _ = computed(500) }
}

private protocol Digit {}
private enum D0: Digit {}
private enum D1: Digit {}
private enum D2: Digit {}
private enum D3: Digit {}
private enum D4: Digit {}
private enum D5: Digit {}
private enum D6: Digit {}
private enum D7: Digit {}
private enum D8: Digit {}
private enum D9: Digit {}
private enum Ten<Ones: Digit>: Digit {}

private final class Kind<A: Digit, B: Digit, C: Digit>: NumberedOperation, @unchecked Sendable {}

/// 20 × 20 × 20 classes: a generic one with different types.
func manyClasses() -> [NumberedOperation.Type] {
  let ones: [any Digit.Type] = [
    D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
  ]
  func ten<D: Digit>(_: D.Type) -> any Digit.Type { Ten<D>.self }
  func kind<A: Digit, B: Digit, C: Digit>(_: A.Type, _: B.Type, _: C.Type) -> NumberedOperation.Type {
    Kind<A, B, C>.self
  }
  let digits = ones + ones.map { ten($0) }
  return digits.flatMap { a in digits.flatMap { b in digits.map { c in kind(a, b, c) } } }
}
