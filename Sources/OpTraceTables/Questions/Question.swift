/// A question that everybody asks, with a name: `optrace sql run.optrace @slowest`.
public struct Question: Sendable {
  /// Without the `@`.
  public let name: String
  /// In words.
  public let text: String
  /// In SQL.
  public let query: String

  /// A question over the tables, in SQL.
  public init(_ name: String, _ text: String, _ query: String) {
    (self.name, self.text, self.query) = (name, text, query)
  }

  /// Nil: there is none of this name.
  public static func named(_ name: String) -> Question? { all.first { $0.name == name } }

  /// In the order in which they are listed.
  public static let all: [Question] = waits + structure + load + outcomes
}
