import OpTraceAnalysis
import OpTraceModel
import Testing

/// Threads stuck in locks, compared to a simulation that lets threads continue until none can.
@Suite struct LockOracleTests {
  /// What a thread does: it computes, waits for a lock (with or without a timeout), or for another thread's operation.
  private enum Doing: Equatable {
    case computes
    case lock(Int, isTimed: Bool)
    case operation(Int)
  }

  private struct Situation {
    var owners: [Int?]
    var doing: [Doing]
    /// Whether a thread executes an operation; else it is a plain one.
    var operations: [Bool]
  }

  /// The threads that never continue: the others release their locks one by one, in any order.
  private func stuck(_ situation: Situation) -> Set<Int> {
    var free = Set<Int>()
    var isChanged = true
    while isChanged {
      isChanged = false
      for (thread, doing) in situation.doing.enumerated() where !free.contains(thread) {
        let goesOn =
          switch doing {
          case .computes: true
          case .lock(let lock, let isTimed): isTimed || situation.owners[lock].map { free.contains($0) } ?? true
          case .operation(let other): free.contains(other)
          }
        if goesOn { isChanged = free.insert(thread).inserted }
      }
    }
    return Set(situation.doing.indices).subtracting(free)
  }

  private func text(_ situation: Situation) -> String {
    var lines = LockCase.code + "0 t1 limit q1 value=-1\n"
    for (thread, isOperation) in situation.operations.enumerated() where isOperation {
      lines += LockCase.executing(thread + 1, "o\(thread)", on: thread + 2)
    }
    var seen: [(Int, LockCase.Doing)] = []
    for (thread, doing) in situation.doing.enumerated() {
      switch doing {
      case .computes: seen.append((thread + 2, .computing))
      case .lock(let lock, let isTimed):
        // A lock that nobody has is about to be taken.
        seen.append((thread + 2, situation.owners[lock].map { .inLock(lock, of: $0 + 2, timed: isTimed) } ?? .polling))
      case .operation(let other):
        lines += "60 t\(thread + 2) wait #\(other + 1)\n"
        seen.append((thread + 2, .inSemaphore))
      }
    }
    return lines + LockCase.look(seen)
  }

  private func fault(_ situation: Situation) throws -> String? {
    let trace = try DoctorCase.trace(text(situation), end: 2_200_000)
    let expected = stuck(situation)
    let blockage = Blockage(of: trace)
    let operations = Set(blockage.operations.map { Int(trace.operations[$0].id.rawValue) - 1 })
    let all = expected.filter { situation.operations[$0] }
    if operations != all { return "says \(operations.sorted()), is \(all.sorted()): \(situation)" }
    let diagnosis = Diagnosis(of: trace)
    if diagnosis.hasErrors == expected.isEmpty {
      return "\(diagnosis.findings.map(\.code)) for \(expected.sorted()): \(situation)"
    }
    let codes = Set(diagnosis.findings.filter { $0.severity == .error }.map(\.code))
    if !codes.isSubset(of: ["lock-cycle", "wait-cycle"]) { return "\(codes): \(situation)" }
    return nil
  }

  @Test func stuckThreadsMatchForAllThreadsLocksAndHolders() throws {
    var count = 0
    var stuckCount = 0
    var faults: [String] = []
    for threads in 1...3 {
      let locks = 2
      let owners: [Int?] = [nil] + (0..<threads).map { $0 }
      for kinds in 0..<(1 << threads) {
        let operations = (0..<threads).map { kinds >> $0 & 1 == 1 }
        var doings: [Doing] = [.computes]
        for lock in 0..<locks { doings += [.lock(lock, isTimed: false)] }
        doings.append(.lock(0, isTimed: true))
        doings += (0..<threads).filter { operations[$0] }.map { .operation($0) }
        let choices = (0..<threads).map { _ in doings.count } + (0..<locks).map { _ in owners.count }
        for number in 0..<choices.reduce(1, *) {
          var rest = number
          let picks = choices.map { size in
            defer { rest /= size }
            return rest % size
          }
          let situation = Situation(
            owners: picks.suffix(locks).map { owners[$0] }, doing: picks.prefix(threads).map { doings[$0] },
            operations: operations)
          count += 1
          if !stuck(situation).isEmpty { stuckCount += 1 }
          if let fault = try fault(situation), faults.count < 5 { faults.append(fault) }
        }
      }
    }
    print("threads and locks: \(count) situations, \(stuckCount) of them stuck")
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }
}
