import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// Stuck work in operations, dispatch queues and locks, compared to a simulation that lets each work continue.
@Suite struct LayerOracleTests {
  private func fault(_ situation: LayerSituation) throws -> String? {
    let trace = try DoctorCase.trace(situation.text, end: 2_200_000)
    let expected = situation.stuck
    let blockage = Blockage(of: trace)
    let operations = Set(blockage.operations.map { Int(trace.operations[$0].id.rawValue) - 1 })
    let all = expected.filter { situation.kinds[$0] == .operation }
    if operations != all { return "says \(operations.sorted()), is \(all.sorted()): \(situation)" }
    let blocks = Set(
      blockage.graph.nodes.indices.compactMap { node -> Int? in
        guard blockage.isBlocked[node], case .block(let index) = blockage.graph.nodes[node] else { return nil }
        let id = Int(trace.blocks[index].id.rawValue)
        return id < 100 ? id - 1 : nil
      })
    let stuckBlocks = expected.subtracting(all)
    if blocks != stuckBlocks { return "says blocks \(blocks.sorted()), are \(stuckBlocks.sorted()): \(situation)" }
    let diagnosis = Diagnosis(of: trace)
    if diagnosis.hasErrors == expected.isEmpty {
      return "\(diagnosis.findings.map(\.code)) for \(expected.sorted()): \(situation)"
    }
    return nil
  }

  @Test func stuckWorkMatchesForAllSmallSituations() throws {
    var count = 0
    var stuckCount = 0
    var faults: [String] = []
    let kinds: [LayerSituation.Kind] = [.operation, .block(queue: 0), .block(queue: 1)]
    for works in 1...3 {
      for kindNumber in 0..<pow(kinds.count, works) {
        let chosen = (0..<works).map { kinds[kindNumber / pow(kinds.count, $0) % kinds.count] }
        // A serial queue runs one at a time.
        guard [0, 1].allSatisfy({ queue in chosen.count { $0 == .block(queue: queue) } <= 1 }) else { continue }
        var doings: [LayerSituation.Doing] = [.computes, .sync(0), .sync(1), .lock(0)]
        doings += chosen.indices.filter { chosen[$0] == .operation }.map { .operation($0) }
        for owner in [nil] + chosen.indices.map({ $0 }) as [Int?] {
          for number in 0..<pow(doings.count, works) {
            let situation = LayerSituation(
              kinds: chosen, doing: (0..<works).map { doings[number / pow(doings.count, $0) % doings.count] },
              owners: [owner], queueCount: 2)
            count += 1
            if !situation.stuck.isEmpty { stuckCount += 1 }
            if let fault = try fault(situation), faults.count < 5 { faults.append(fault) }
          }
        }
      }
    }
    print("operations, queues and locks: \(count) situations, \(stuckCount) of them stuck")
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    #expect(count > 1000 && stuckCount > 100)
  }

  @Test func healthySituationsHaveNoErrors() throws {
    for seed in 0..<1000 {
      var random = SeededGenerator(seed)
      let situation = LayerSituation.healthy(using: &random)
      let diagnosis = Diagnosis(of: try DoctorCase.trace(situation.text, end: 2_200_000))
      #expect(
        !diagnosis.hasErrors && diagnosis.verdict != .stalled, "seed \(seed): \(diagnosis.findings) in \(situation)")
    }
  }

  @Test func plantedCyclesAreFound() throws {
    var codes: [DoctorCode: Int] = [:]
    for seed in 0..<300 {
      var random = SeededGenerator(seed)
      var situation = LayerSituation.healthy(using: &random)
      let members = situation.plantCycle(using: &random)
      let waits = members.map { situation.doing[$0] }
      let code: DoctorCode =
        waits.contains { if case .lock = $0 { true } else { false } }
        ? "lock-cycle" : waits.contains { if case .sync = $0 { true } else { false } } ? "dispatch-cycle" : "wait-cycle"
      codes[code, default: 0] += 1
      let diagnosis = Diagnosis(of: try DoctorCase.trace(situation.text, end: 2_200_000))
      let errors = diagnosis.findings.filter { $0.severity == .error }
      #expect(errors.map(\.code) == [code] && diagnosis.verdict == .deadlocked, "seed \(seed): \(situation)")
      // The chain has the cycle in its order; between its members are locks, queues and the syncs themselves.
      let chain = (errors.first?.chain ?? []).filter { [.operation, .block].contains($0.kind) && $0.id ?? 100 < 100 }
        .map { Int($0.id ?? 0) - 1 }
      let start = members.firstIndex(of: chain.first ?? -1) ?? 0
      #expect(chain == Array(members[start...] + members[..<start]), "seed \(seed): \(situation)")
    }
    #expect(codes.count == 3, "\(codes)")
  }
}

private func pow(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { value, _ in value * base } }
