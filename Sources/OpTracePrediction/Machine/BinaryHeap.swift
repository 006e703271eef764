/// The least element first. Insertion and removal in O(log n).
struct BinaryHeap<Element: Comparable> {
  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }
  var first: Element? { elements.first }

  mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0 {
      let above = (place - 1) / 2
      guard element < elements[above] else { break }
      elements[place] = elements[above]
      place = above
    }
    elements[place] = element
  }

  mutating func removeFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let result = elements.first else { return last }
    var place = 0
    while true {
      var below = place * 2 + 1
      guard below < elements.count else { break }
      if below + 1 < elements.count, elements[below + 1] < elements[below] { below += 1 }
      guard elements[below] < last else { break }
      elements[place] = elements[below]
      place = below
    }
    elements[place] = last
    return result
  }
}
