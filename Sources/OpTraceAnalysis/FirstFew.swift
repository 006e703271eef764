/// The first few of many in an order, in room for a few. O(n + k log k) for k that are kept, where their order is none that is meant to
/// be bad; else O(n log k).
package struct FirstFew<Element> {
  private let count: Int
  private let isBefore: (Element, Element) -> Bool
  private var kept: [Element] = []
  /// The last of those that were among the first at the last look.
  private var bar: Element?

  package init(_ count: Int, by isBefore: @escaping (Element, Element) -> Bool) {
    self.count = max(0, count)
    self.isBefore = isBefore
  }

  package mutating func offer(_ element: Element) {
    if let bar, !isBefore(element, bar) { return }
    kept.append(element)
    if kept.count >= 2 * count + 64 { look() }
  }

  /// In their order.
  package mutating func take() -> [Element] {
    look()
    return kept
  }

  private mutating func look() {
    kept.sort(by: isBefore)
    kept.removeLast(kept.count - min(count, kept.count))
    if kept.count == count { bar = kept.last }
  }
}
