/// Whose code is on each thread's stack, as the records of beginnings and ends tell.
struct CodeStacks {
  struct Frame: Equatable {
    enum Kind: Equatable { case start, code, block(UInt32) }
    var operation: UInt32
    var kind: Kind
  }

  private var places = PlaceTable(denseLimit: 1 << 16)
  private var threads: [UInt32] = []
  /// The innermost last.
  private var stacks: [[Frame]] = []

  enum Leaving {
    /// The frames that stood above it, the innermost last.
    case left(above: ArraySlice<Frame>)
    /// It stood on another thread's.
    case onOther(UInt32)
    case nowhere
  }

  mutating func enter(_ frame: Frame, on thread: UInt32) {
    if let place = places[thread] { return stacks[place].append(frame) }
    places[thread] = stacks.count
    threads.append(thread)
    stacks.append([frame])
  }

  /// Takes the frame away with all above it; where it is on another thread, there and alone.
  mutating func leave(_ frame: Frame, on thread: UInt32) -> Leaving {
    if let place = places[thread], let index = stacks[place].lastIndex(of: frame) {
      guard index < stacks[place].count - 1 else {
        stacks[place].removeLast()
        return .left(above: [])
      }
      let above = stacks[place][(index + 1)...]
      stacks[place].removeSubrange(index...)
      return .left(above: above)
    }
    guard let other = stacks.firstIndex(where: { $0.contains(frame) }) else { return .nowhere }
    stacks[other].removeAll { $0 == frame }
    return .onOther(threads[other])
  }

  func executes(_ operation: UInt32, on thread: UInt32) -> Bool {
    places[thread].map { stacks[$0].contains { $0.operation == operation } } ?? false
  }
}
