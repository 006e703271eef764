import OpTraceKernel
package import OpTraceSamples

/// What changed between two runs: what functions allocated, and what lived, by name.
package struct MemoryDifference: Sendable {
  package struct Change: Sendable {
    package var before = EstimatedBytes()
    package var after = EstimatedBytes()
    package var bytes: Double { after.bytes - before.bytes }
    /// Chance does not explain it: it is larger than two standard errors.
    package var isClear: Bool { abs(bytes) > 2 * (before.variance + after.variance).squareRoot() && bytes != 0 }
  }

  package struct FunctionRow: Sendable {
    /// As the later run has it, else the earlier one.
    package var function: Profile.Function
    package var allocated = Change()
    package var live = Change()
  }

  package struct TypeRow: Sendable {
    package var type: String?
    package var allocated = Change()
    package var live = Change()
  }

  /// The largest change of what lived or was allocated first; clear ones before others.
  package private(set) var functions: [FunctionRow]
  package private(set) var types: [TypeRow]
  package private(set) var allocated: Change
  package private(set) var live: Change

  /// O(n log n) for n functions and types.
  package init(from earlier: MemoryReport, to later: MemoryReport) {
    allocated = Change(before: earlier.all.allocated, after: later.all.allocated)
    live = Change(before: earlier.all.live, after: later.all.live)
    var functions: [Profile.Function.Identity: FunctionRow] = [:]
    for row in later.functions where row.own.allocated.samples > 0 {
      functions[row.function.identity, default: .init(function: row.function)].allocated.after += row.own.allocated
      functions[row.function.identity]?.live.after += row.own.live
    }
    for row in earlier.functions where row.own.allocated.samples > 0 {
      functions[row.function.identity, default: .init(function: row.function)].allocated.before += row.own.allocated
      functions[row.function.identity]?.live.before += row.own.live
    }
    var types: [String?: TypeRow] = [:]
    for row in later.types {
      types[row.type, default: .init(type: row.type)].allocated.after += row.sums.allocated
      types[row.type]?.live.after += row.sums.live
    }
    for row in earlier.types {
      types[row.type, default: .init(type: row.type)].allocated.before += row.sums.allocated
      types[row.type]?.live.before += row.sums.live
    }
    self.functions = functions.values.sorted {
      (Self.rank($0.allocated, $0.live), $1.function.name) > (Self.rank($1.allocated, $1.live), $0.function.name)
    }
    self.types = types.values.sorted {
      (Self.rank($0.allocated, $0.live), $1.type ?? "") > (Self.rank($1.allocated, $1.live), $0.type ?? "")
    }
  }

  private static func rank(_ allocated: Change, _ live: Change) -> Double {
    let clear = (allocated.isClear ? abs(allocated.bytes) : 0) + (live.isClear ? abs(live.bytes) : 0)
    return clear > 0 ? 1e18 + clear : abs(allocated.bytes) + abs(live.bytes)
  }
}
