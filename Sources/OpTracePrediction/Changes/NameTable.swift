import OpTraceKernel
import OpTraceModel

/// What words mean in a trace: queues, and operations by class, function or name.
struct NameTable {
  private var queues: [String: [QueueID]] = [:]
  private var titles: [QueueID: String] = [:]
  private var classes: [String: [Int32]] = [:]
  private var functions: [String: [Int32]] = [:]
  private var names: [String: [Int32]] = [:]
  /// To find the classes of the operations of a name.
  private let trace: Trace

  /// O(operations + queues).
  init(_ trace: Trace) {
    self.trace = trace
    let shown = QueueTitles(trace)
    for queue in trace.queues {
      let title = shown.title(of: queue)
      titles[queue.id] = title
      for word in Set([title, queue.name, queue.title]) where !word.isEmpty {
        queues[word, default: []].append(queue.id)
      }
    }
    // A queue's name takes precedence over its number.
    for queue in trace.queues where queues[queue.id.description] == nil { queues[queue.id.description] = [queue.id] }
    for index in trace.operations.indices {
      let row = Int32(clamping: index)
      classes[trace.operations[index].className, default: []].append(row)
      if let function = trace.operations[index].function?.shortName { functions[function, default: []].append(row) }
      if let name = trace.operations[index].name, !name.isEmpty { names[name, default: []].append(row) }
    }
  }

  func queue(_ word: String, for option: ChangeOption) throws(ChangeError) -> QueueID {
    guard let found = queues[word], let first = found.first else {
      throw .unknown(option: option.rawValue, word: word, what: "queue", known: Set(titles.values))
    }
    guard found.count == 1 else {
      throw .ambiguous(option: option.rawValue, word: word, meanings: found.compactMap { titles[$0] }.sorted())
    }
    return first
  }

  /// A word means a class, else a function, else a name; `*`: all. The indexes of the operations.
  /// - Parameter others: names of what is no operation, and could have been meant.
  func operations(
    _ word: String, for option: ChangeOption, or others: Set<String> = []
  ) throws(ChangeError) -> [Int32] {
    if let found = find(word) { return found }
    throw .unknown(
      option: option.rawValue, word: word, what: "class, function or operation",
      known: Set(classes.keys).union(functions.keys).union(names.keys).union(others))
  }

  /// Nil: nothing is called so.
  func find(_ word: String) -> [Int32]? { classes[word] ?? functions[word] ?? names[word] }

  /// A name that operations of several classes have is not one thing.
  func checkOneClass(_ rows: [Int32], word: String, for option: ChangeOption) throws(ChangeError) {
    guard classes[word] == nil, functions[word] == nil else { return }
    let kinds = Set(rows.map { trace.operations[Int($0)].kind })
    guard kinds.count > 1 else { return }
    throw .ambiguous(option: option.rawValue, word: word, meanings: kinds.sorted())
  }
}
