package import OpTraceDoctor

/// The tables of a trace that a program shows, with the views and questions over them: those of each capability that it has, added to
/// each other.
///
/// Formats, databases and queries know no table: they take such a set.
package struct TableSet: Sendable {
  /// In the order in which they are shown.
  package private(set) var tables: [TraceTable]
  /// In the order in which they are made: each asks only tables.
  package private(set) var views: [TraceView]
  /// In the order in which they are listed.
  package private(set) var questions: [Question]

  /// - Parameters:
  ///   - tables: no other table of the program has their names.
  ///   - views: over these tables, or those of sets before this one; questions, too.
  package init(_ tables: [TraceTable], views: [TraceView] = [], questions: [Question] = []) {
    (self.tables, self.views, self.questions) = (tables, views, questions)
  }

  /// Both: those on the left come first.
  package static func + (left: TableSet, right: TableSet) -> TableSet {
    TableSet(
      left.tables + right.tables, views: left.views + right.views, questions: left.questions + right.questions)
  }

  /// The table of this name; nil: there is none. O(tables).
  package subscript(_ name: String) -> TraceTable? { tables.first { $0.name == name } }

  /// The question of this name, without `@`; nil: there is none. O(questions).
  package func question(named name: String) -> Question? { questions.first { $0.name == name } }

  /// In the order in which a trace is written somewhere: where it has its row in `traces`, all others are there.
  package var inOrderOfWriting: [TraceTable] {
    tables.filter { $0.name != "traces" } + tables.filter { $0.name == "traces" }
  }
}

extension TableSet: Contribution {
  /// What the recorder wrote, the tables of all of these in their order, and what their rules find.
  package init(of capabilities: [Capability]) {
    self = (capabilities.all(TableSet.self) + [.explained(by: RuleSet(of: capabilities))]).reduce(.recorded, +)
  }
}

/// A query that has a name, and can be asked as a table.
package struct TraceView: Sendable {
  /// Its name in queries.
  package let name: String
  /// What its rows are, in a few words.
  package let meaning: String
  /// Its definition, in SQL that every database reads.
  package let query: String

  /// - Parameters: as the properties say.
  package init(name: String, meaning: String, query: String) {
    (self.name, self.meaning, self.query) = (name, meaning, query)
  }

  /// Makes it in SQLite.
  package func statement(isTemporary: Bool) -> String { "CREATE \(isTemporary ? "TEMP " : "")VIEW \(name) AS \(query)" }
}
