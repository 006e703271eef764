import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// How much of the running time of operations was in a function, by samples of processor time.
struct SampledParts {
  private let trace: Trace
  private let profile: Profile
  /// Indexes of functions, by name.
  private var functions: [String: Set<Int>] = [:]

  /// An operation with fewer samples of its own is taken for a usual one of its kind.
  private static let enough = 50

  /// O(n log n) for n samples and runs.
  init(_ trace: Trace) {
    self.trace = trace
    profile = trace.samples.isEmpty ? Profile() : Profile(of: trace)
    for (index, function) in profile.functions.enumerated() { functions[function.name, default: []].insert(index) }
  }

  /// The names of functions that were sampled.
  var names: Set<String> { Set(functions.keys) }

  private struct Count {
    var inside = 0
    var running: Nanoseconds = 0
    var all = 0

    func share(_ period: Nanoseconds) -> Double {
      running > 0 ? min(1, Double(inside) * Double(period) / Double(running)) : 0
    }
  }

  /// The sampled functions that a word means: the one of this name, else those that have it before their arguments. `load` is `load()` or
  /// `load(_:from:)`. O(functions).
  func functions(called word: String) -> [String] {
    if functions[word] != nil { return [word] }
    return functions.keys.filter { $0.hasPrefix(word) && $0.dropFirst(word.count).first == "(" && $0.hasSuffix(")") }
      .sorted()
  }

  /// The operations that ran a function of this name, with the part of their running time that was spent in it and in what it called.
  /// Empty: none did, as far as samples tell. O(samples + operations).
  func parts(of word: String) -> [Change.Part] {
    guard let wanted = functions[word] else { return [] }
    let isInside = profile.stacks.map { $0.frames.contains { wanted.contains(profile.frames[$0].function) } }
    var kinds: [String: Count] = [:]
    var own = [Count](repeating: Count(), count: trace.operations.count)
    for index in own.indices {
      let operation = trace.operations[index]
      own[index].running = OperationTimes(of: operation, traceEnd: trace.end).running
      kinds[operation.kind, default: Count()].running += own[index].running
    }
    for sample in profile.samples {
      guard let index = sample.work.flatMap(operation) else { continue }
      own[index].all += 1
      guard isInside[sample.stack] else { continue }
      own[index].inside += 1
      kinds[trace.operations[index].kind, default: Count()].inside += 1
    }
    return own.indices.compactMap { index in
      let count = own[index].all >= Self.enough ? own[index] : kinds[trace.operations[index].kind] ?? Count()
      let share = count.share(profile.period)
      return share > 0 && own[index].running > 0 ? Change.Part(operation: Int32(clamping: index), share: share) : nil
    }
  }

  /// The operation whose code this is: a block that it waits for runs in its place.
  private func operation(_ work: WorkID) -> Int? {
    var work = work
    for _ in 0..<16 {
      if let index = trace.index(of: work) { return index }
      guard let block = trace.block(work), block.way == .sync, let submitter = block.submitter else { return nil }
      work = submitter
    }
    return nil
  }
}
