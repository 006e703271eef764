import OpTraceKernel
import OpTraceModel

/// What operations of two runs have in common where their names and numbers differ: results are reported by pattern.
package struct WorkPattern: Hashable, Sendable {
  /// the name with `#` for its numbers; without a name the function, else the class.
  package var name: String
  /// The class, without its module.
  package var className: String
  /// The queue's name with `#` for its numbers; nil: it was never enqueued.
  package var queue: String?
  /// The function that it runs, where that is not its class's own, and all traces have names for functions.
  package var function: String?

  /// The pattern of these names, which are patterns themselves.
  package init(name: String, className: String, queue: String? = nil, function: String? = nil) {
    (self.name, self.className, self.queue, self.function) = (name, className, queue, function)
  }
}

extension WorkPattern: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    if left.name != right.name { return left.name < right.name }
    if left.className != right.className { return left.className < right.className }
    if left.queue != right.queue { return left.queue ?? "" < right.queue ?? "" }
    return left.function ?? "" < right.function ?? ""
  }
}

/// Patterns by number: those of all runs that are compared.
struct PatternTable {
  private(set) var patterns: [WorkPattern] = []
  /// The same pattern without its function.
  private(set) var functionless: [Int32] = []
  private var numbers: [WorkPattern: Int32] = [:]

  mutating func number(of pattern: WorkPattern) -> Int32 {
    if let known = numbers[pattern] { return known }
    var plain = pattern
    plain.function = nil
    // A name that is the function's own would separate both again.
    if pattern.function != nil, pattern.name == pattern.function { plain.name = pattern.className }
    let coarse = plain == pattern ? nil : number(of: plain)
    let number = Int32(clamping: patterns.count)
    patterns.append(pattern)
    functionless.append(coarse ?? number)
    numbers[pattern] = number
    return number
  }

  /// The pattern of each operation, in the order of the trace. O(n).
  mutating func numbers(of trace: Trace) -> [Int32] {
    var queues: [QueueID: String] = [:]
    for queue in trace.queues { queues[queue.id] = NamePattern.of(queue.title) }
    var result: [Int32] = []
    result.reserveCapacity(trace.operations.count)
    for index in trace.operations.indices {
      let function = trace.operations[index].function?.shortName
      let className = trace.operations[index].className
      let name = trace.operations[index].name.map { NamePattern.of($0) }
      let queue = trace.operations[index].queue.map { queues[$0] ?? "" }
      result.append(
        number(
          of: WorkPattern(name: name ?? function ?? className, className: className, queue: queue, function: function)))
    }
    return result
  }
}
