package import OpTraceTables

/// A trace that was exported as Parquet: where its tables are, and which host and version it is of.
package struct ExportedTrace: Sendable, Equatable {
  /// The tables' folder.
  package let folder: String
  /// `TraceHeader.hash` of the trace.
  package let hash: String
  /// From folders like `host=web-17`, and from what the caller says, which is stronger.
  package var labels: [String: String]

  /// In the tables' folder.
  package static func path(of table: TraceTable, _ hash: String) -> String {
    "\(folder(of: table, hash))/part-0.parquet"
  }
  private static func folder(of table: TraceTable, _ hash: String) -> String { "\(table.name)/trace=\(hash)" }

  /// Where a table's rows are.
  package func path(of table: TraceTable) -> String { "\(folder)/\(Self.path(of: table, hash))" }

  /// The hash that a folder below a table's is named after; nil: it is not one of an export.
  package static func hash(ofFolder name: some StringProtocol) -> String? {
    guard name.hasPrefix("trace=") else { return nil }
    let hash = name.dropFirst("trace=".count)
    let isHash =
      hash.utf8.count == 16 && hash.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isHash ? String(hash) : nil
  }

  /// `host=web-17` as a label; nil: it is none.
  package static func label(_ text: some StringProtocol) -> (key: String, value: String)? {
    guard let split = text.firstIndex(of: "="), split > text.startIndex else { return nil }
    return (String(text[..<split]), String(text[text.index(after: split)...]))
  }

  /// All exported traces below a folder, in the order of their hashes. A folder is one of tables where it has one named `traces`;
  /// others are searched. O(folders).
  ///
  /// - Parameters:
  ///   - folder: where to begin.
  ///   - names: what is in a folder; none for what is no folder.
  package static func all(in folder: String, names: (String) -> [String]) -> [ExportedTrace] {
    var found: [ExportedTrace] = []
    func search(_ folder: String, _ labels: [String: String], _ depth: Int) {
      let inside = names(folder)
      guard inside.contains("traces") else {
        // Against links that lead back.
        guard depth < 12 else { return }
        for name in inside.sorted() {
          var own = labels
          if let label = label(name) { own[label.key] = label.value }
          search("\(folder)/\(name)", own, depth + 1)
        }
        return
      }
      for name in names("\(folder)/traces") {
        if let hash = hash(ofFolder: name) { found.append(ExportedTrace(folder: folder, hash: hash, labels: labels)) }
      }
    }
    search(folder, [:], 0)
    return found.sorted { ($0.hash, $0.folder) < ($1.hash, $1.folder) }
  }
}
