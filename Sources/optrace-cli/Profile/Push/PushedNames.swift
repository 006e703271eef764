import OpTraceModel

/// The names of a running program's code, each address looked up once. In a ring the frames of samples come and go, so
/// names are kept by address.
///
/// A look into the program's files costs 0.1 s and more, however few addresses are new. So it comes at once while many
/// samples are in code without a name, and later as seldom as is cheap: what is new then is rarely run.
struct PushedNames {
  private var known: [FrameRecord.Address: [SymbolRecord]] = [:]
  /// Of one processor; what a look costs in other processes is about as much again.
  private var pace = Pace(share: 0.0005)

  /// Of the samples of a trace, so many may be in code without a name.
  private static let fewUnnamed = 0.02

  /// Adds names to the code of a trace. O(frames); new addresses need a look into the program's files.
  mutating func name(_ trace: inout Trace) {
    guard !trace.stacks.hasNames else { return }
    let addresses = trace.stacks.addresses
    if addresses.contains(where: { known[$0.address] == nil }), pace.wait == 0 || isUrgent(trace) {
      let start = Pace.Start()
      defer { pace.spent(since: start) }
      let old = Set(addresses.filter { known[$0.address] != nil }.map(\.frame))
      let found = TraceSymbols(of: trace.stacks, besides: old).names
      // What has no name is not looked up again.
      for (_, address) in addresses where known[address] == nil { known[address] = [] }
      for (frame, symbols) in found {
        if let address = trace.stacks[frame]?.address { known[address] = symbols }
      }
    }
    // What has not been looked up yet has no name in this trace.
    trace.name(
      addresses.compactMap { frame, address in
        known[address].flatMap { $0.isEmpty ? nil : (frame: frame, symbols: $0) }
      })
  }

  private func isUrgent(_ trace: Trace) -> Bool {
    let unnamed = trace.samples.count { sample in
      sample.at.flatMap { trace.stacks[$0]?.address }.map { known[$0] == nil } ?? false
    }
    return Double(unnamed) > Double(trace.samples.count) * Self.fewUnnamed
  }
}
