import OpTraceModel

/// Threads of one quality of service while the machine runs: first come, first served.
struct SimulatedPool {
  /// How many threads it may have by now.
  var capacity: Int
  private(set) var threadCount = 0
  private var idle: [Int32] = []
  private var waiting: [Int32] = []
  private var head = 0
  /// When it was first used: it grows once a second from then on.
  var firstUse: Nanoseconds?
  var isTickPending = false
  /// None of its threads has begun.
  var isNew = true

  init(capacity: Int) { self.capacity = capacity }

  var hasWaiting: Bool { head < waiting.count }

  /// A free thread, or a new one; nil: there is none to be had.
  mutating func takeThread(_ make: () -> Int32) -> Int32? {
    if let thread = idle.popLast() { return thread }
    guard threadCount < capacity else { return nil }
    threadCount += 1
    return make()
  }

  mutating func wait(_ strand: Int32) { waiting.append(strand) }

  mutating func nextWaiting() -> Int32? {
    guard head < waiting.count else { return nil }
    head += 1
    if head == waiting.count {
      defer {
        waiting.removeAll(keepingCapacity: true)
        head = 0
      }
      return waiting[head - 1]
    }
    return waiting[head - 1]
  }

  mutating func rest(_ thread: Int32) { idle.append(thread) }
}
