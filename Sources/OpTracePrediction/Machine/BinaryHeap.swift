/// The least element first. Insertion and removal in O(log n).
struct BinaryHeap<Element: Comparable> {
  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }
  var first: Element? { elements.first }

  mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0 {
      let above = (index - 1) / 2
      guard element < elements[above] else { break }
      elements[index] = elements[above]
      index = above
    }
    elements[index] = element
  }

  mutating func removeFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let result = elements.first else { return last }
    var index = 0
    while true {
      var below = index * 2 + 1
      guard below < elements.count else { break }
      if below + 1 < elements.count, elements[below + 1] < elements[below] { below += 1 }
      guard elements[below] < last else { break }
      elements[index] = elements[below]
      index = below
    }
    elements[index] = last
    return result
  }
}
