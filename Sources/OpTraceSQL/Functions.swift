import CSQLite
import OpTraceKernel
import OpTraceTables

/// What queries may call besides SQLite's own functions.
enum Functions {
  /// Aggregates by name: the part of the values below the result. By the nearest rank, so each result is one of the values.
  static let percentiles: [(name: String, share: Double)] = [
    ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999), ("median", 0.5),
  ]

  /// The names of all.
  static let names = percentiles.map(\.name) + ["name_pattern"]

  static func register(in database: OpaquePointer) -> Int32 {
    var status = SQLITE_OK
    for (name, _) in percentiles where status == SQLITE_OK { status = registerPercentile(name, in: database) }
    guard status == SQLITE_OK else { return status }
    return sqlite3_create_function_v2(
      database, "name_pattern", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, arguments in
        guard let argument = arguments?[0], let text = sqlite3_value_text(argument) else {
          return sqlite3_result_null(context)
        }
        // By its length: a name may hold a zero.
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(argument)))
        give(.text(NamePattern.of(String(decoding: bytes, as: UTF8.self))), to: context)
      }, nil, nil, nil)
  }

  /// The values of one group; SQLite keeps a pointer to them between calls.
  private final class Values {
    var wholes: [Int64] = []
    var fractions: [Double] = []

    /// Exact where all are whole: a time since 1970 in nanoseconds is no `Double`. Nil: there is none.
    func percentile(_ share: Double) -> TableValue? {
      if fractions.isEmpty { return Self.percentile(share, of: wholes.sorted()).map { .integer($0) } }
      return Self.percentile(share, of: (fractions + wholes.map(Double.init)).sorted()).map { .real($0) }
    }

    private static func percentile<Number>(_ share: Double, of sorted: [Number]) -> Number? {
      let rank = Int((share * Double(sorted.count)).rounded(.up))
      return sorted.isEmpty ? nil : sorted[min(max(rank, 1), sorted.count) - 1]
    }
  }

  private static func registerPercentile(_ name: String, in database: OpaquePointer) -> Int32 {
    // The context of the C functions: the share's index in the list.
    let index = percentiles.firstIndex { $0.name == name } ?? 0
    return sqlite3_create_function_v2(
      database, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, UnsafeMutableRawPointer(bitPattern: index + 1), nil,
      { context, _, arguments in
        let kept = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeRawPointer?>.size))
        guard let kept, let argument = arguments?[0] else { return }
        let slot = kept.assumingMemoryBound(to: UnsafeRawPointer?.self)
        if slot.pointee == nil { slot.pointee = UnsafeRawPointer(Unmanaged.passRetained(Values()).toOpaque()) }
        guard let pointer = slot.pointee else { return }
        let values = Unmanaged<Values>.fromOpaque(pointer).takeUnretainedValue()
        switch sqlite3_value_numeric_type(argument) {
        case SQLITE_INTEGER: values.wholes.append(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: values.fractions.append(sqlite3_value_double(argument))
        default: break
        }
      },
      { context in
        // Without a row there is nothing: a size of 0 asks for no memory.
        guard let kept = sqlite3_aggregate_context(context, 0),
          let pointer = kept.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee
        else { return sqlite3_result_null(context) }
        let values = Unmanaged<Values>.fromOpaque(pointer).takeRetainedValue()
        let index = Int(bitPattern: sqlite3_user_data(context)) - 1
        guard Functions.percentiles.indices.contains(index),
          let value = values.percentile(Functions.percentiles[index].share)
        else { return sqlite3_result_null(context) }
        give(value, to: context)
      }, nil)
  }
}
