import OpTraceKernel
package import OpTraceModel

extension Profile {
  /// What a function used, or how long it waited.
  package struct FunctionRow: Sendable, Equatable {
    /// An index in ``Profile/functions``.
    package var function: Int
    /// Nanoseconds in its own code, without what it called.
    package var own: Nanoseconds = 0
    /// Nanoseconds including all that it called. A sample in which it calls itself counts once.
    package var total: Nanoseconds = 0
    /// Nanoseconds in which it was the innermost of the program's own functions, including libraries that it called. 0
    /// for others.
    package var charged: Nanoseconds = 0
    /// Samples that make up ``own`` and ``total``.
    package var ownSamples = 0
    package var totalSamples = 0
  }

  /// What a group of samples used.
  package struct GroupRow: Sendable, Equatable {
    package var name: GroupName
    /// Nanoseconds.
    package var weight: Nanoseconds = 0
    package var samples = 0
    /// Its functions, sorted as by ``Profile/functionRows()``.
    package var functions: [FunctionRow] = []

    /// The program's own function with the most time, including the libraries that it calls; if there is none, the
    /// first function. O(functions).
    package var mostCharged: FunctionRow? {
      // Of several, take the first: it has more time in its own code.
      let most = functions.reduce(0) { max($0, $1.charged) }
      return functions.first { $0.charged == most }
    }
  }

  /// What samples have in common.
  package enum GroupName: Sendable, Hashable {
    /// Work with the same name, or a thread's time outside of work.
    case owner(Owner)
    case thread(ThreadID, Thread)
    /// The queue's name; nil: in no work of a queue.
    case queue(String?)
    /// In Swift tasks, because it is not recorded which executor ran them.
    case tasks
    /// In a test, or another named span.
    case span(String)
    /// What was waited for.
    case reason(String)
  }

  /// How samples are grouped.
  package enum Grouping: Sendable { case work, thread, queue, span, reason }

  /// Every function with what it used, the one with the most time in its own code first. O(samples + frames of all
  /// stacks).
  package func functionRows() -> [FunctionRow] {
    var sums: [Int: Sum] = [:]
    for sample in samples { sums[sample.stack, default: Sum()].add(sample.weight) }
    return functionRows(sums)
  }

  /// The groups, the most used first, each with its functions. O(samples + frames of all stacks of each group).
  package func groupRows(by grouping: Grouping) -> [GroupRow] {
    var groups: [GroupName: Int] = [:]
    var rows: [GroupRow] = []
    var sums: [[Int: Sum]] = []
    for (index, sample) in samples.enumerated() {
      guard let name = name(of: sample, owner: ownerOfSamples[index], grouping) else { continue }
      let group = groups[name] ?? rows.count
      if group == rows.count {
        groups[name] = group
        rows.append(GroupRow(name: name))
        sums.append([:])
      }
      rows[group].weight += sample.weight
      rows[group].samples += 1
      sums[group][sample.stack, default: Sum()].add(sample.weight)
    }
    for index in rows.indices { rows[index].functions = functionRows(sums[index]) }
    return rows.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element)
  }

  private func name(of sample: Sample, owner: Int, _ grouping: Grouping) -> GroupName? {
    switch grouping {
    case .work: .owner(owners[owner])
    case .thread: threads[sample.thread].map { .thread(sample.thread, $0) }
    case .queue: owners[owner].kind == WorkKind.task.word ? .tasks : .queue(owners[owner].queue)
    case .span: sample.span.flatMap { spans[$0] }.map { .span($0) }
    case .reason:
      stacks[sample.stack].frames.first.map { functions[frames[$0].function] }.flatMap {
        $0.isReason ? .reason($0.name) : nil
      }
    }
  }

  private struct Sum {
    var weight: Nanoseconds = 0
    var samples = 0
    mutating func add(_ more: Nanoseconds) {
      weight += more
      samples += 1
    }
  }

  /// - Parameter sums: by the index of the stack.
  private func functionRows(_ sums: [Int: Sum]) -> [FunctionRow] {
    var rows: [Int: FunctionRow] = [:]
    var met = Set<Int>()
    for (stack, sum) in sums {
      met.removeAll(keepingCapacity: true)
      for frame in stacks[stack].frames {
        let function = frames[frame].function
        guard !functions[function].isReason, met.insert(function).inserted else { continue }
        rows[function, default: FunctionRow(function: function)].total += sum.weight
        rows[function, default: FunctionRow(function: function)].totalSamples += sum.samples
      }
      let own = stacks[stack].frames.last { functions[frames[$0].function].isOwn }.map { frames[$0].function }
      if let own { rows[own, default: FunctionRow(function: own)].charged += sum.weight }
      guard let leaf = stacks[stack].frames.last.map({ frames[$0].function }), !functions[leaf].isReason else {
        continue
      }
      rows[leaf, default: FunctionRow(function: leaf)].own += sum.weight
      rows[leaf, default: FunctionRow(function: leaf)].ownSamples += sum.samples
    }
    return rows.values.sorted { ($1.own, $1.total, $0.function) < ($0.own, $0.total, $1.function) }
  }
}
