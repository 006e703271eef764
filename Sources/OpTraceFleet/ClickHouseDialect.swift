public import OpTraceTables

/// What ClickHouse says otherwise than SQLite.
public enum ClickHouseDialect {
  /// Functions of SQLite's that the questions call, by the same names.
  static let functions: [(name: String, body: String)] =
    [("p50", "0.5"), ("p75", "0.75"), ("p90", "0.9"), ("p95", "0.95"), ("p99", "0.99"), ("p999", "0.999")].map {
      // By the nearest rank: the engine takes the value behind so many, the rank is the value up to so many.
      ($0.0, "quantileExact(\(less($0.1)))(x)")
    } + [("name_pattern", namePattern)]

  private static func less(_ share: String) -> String {
    // 0.99 as 0.989999999999.
    let digits = share.dropFirst(2)
    let whole = (Int(digits) ?? 0) * tenTo(12 - digits.count) - 1
    let text = String(whole)
    return "0." + String(repeating: "0", count: 12 - text.count) + text
  }

  private static func tenTo(_ power: Int) -> Int { (0..<power).reduce(1) { product, _ in product * 10 } }

  /// Words, and what is between them; numbers, checksums, addresses and UUIDs become a mark.
  private static let namePattern = """
    replaceRegexpAll(arrayStringConcat(arrayMap(\
    w -> if(match(w, '^(0x[0-9a-fA-F]+|[0-9a-fA-F]{8}-[-0-9a-fA-F]{27}|[0-9a-fA-F]{8,})$') AND match(w, '[0-9]'), '#', \
    replaceRegexpAll(w, '[0-9]+', '#')), \
    extractAll(assumeNotNull(x), \
    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9A-Za-z]+|[^0-9A-Za-z]+'))), '#+', '#')
    """

  /// A question's text as ClickHouse runs it: outer joins leave null where there is nothing, as everywhere else.
  public static func query(_ question: Question) -> String { question.query + "\nSETTINGS join_use_nulls = 1" }

  /// `waits-by-class` as `waits_by_class`.
  public static func identifier(_ name: String) -> String { name.replacing("-", with: "_") }

  static func quoted(_ name: String) -> String { "`\(name)`" }

  /// Quoted, for a statement.
  public static func text(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
