/// Whose code is on each thread's stack, according to the records of begins and ends.
struct CodeStacks {
  struct Frame: Equatable {
    enum Kind: Equatable { case start, code, block(UInt32) }
    var operation: UInt32
    var kind: Kind
  }

  private var rows = IndexTable(denseLimit: 1 << 16)
  private var threads: [UInt32] = []
  /// The frames of each stack, the innermost last.
  private var stacks: [[Frame]] = []

  enum Leaving {
    /// The frames above it, the innermost last.
    case left(above: ArraySlice<Frame>)
    /// It is on another thread's stack.
    case onOther(UInt32)
    case nowhere
  }

  mutating func enter(_ frame: Frame, on thread: UInt32) {
    if let row = rows[thread] { return stacks[row].append(frame) }
    rows[thread] = stacks.count
    threads.append(thread)
    stacks.append([frame])
  }

  /// Removes the frame and all above it; if it is on another thread, removes only the frame itself there.
  mutating func leave(_ frame: Frame, on thread: UInt32) -> Leaving {
    if let row = rows[thread], let index = stacks[row].lastIndex(of: frame) {
      guard index < stacks[row].count - 1 else {
        stacks[row].removeLast()
        return .left(above: [])
      }
      let above = stacks[row][(index + 1)...]
      stacks[row].removeSubrange(index...)
      return .left(above: above)
    }
    guard let other = stacks.firstIndex(where: { $0.contains(frame) }) else { return .nowhere }
    stacks[other].removeAll { $0 == frame }
    return .onOther(threads[other])
  }
}

/// When something first happened to a subject, by its number. A table, because it is looked up for every event.
struct FirstTimes {
  private var indexes: IndexTable
  private var times: [Nanoseconds] = []

  /// Numbers below the limit index an array. Larger ones, which only a damaged trace has, go into a dictionary.
  init(denseLimit: Int) { indexes = IndexTable(denseLimit: denseLimit) }

  subscript(id: UInt32) -> Nanoseconds? { indexes[id].map { times[$0] } }

  mutating func note(_ id: UInt32, _ time: Nanoseconds) {
    if let index = indexes[id] {
      times[index] = min(times[index], time)
      return
    }
    indexes[id] = times.count
    times.append(time)
  }
}
