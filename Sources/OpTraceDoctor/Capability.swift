/// What a column adds to hosts: rules, tables, sections of `top`, parts of the report's page.
///
/// A host knows no capability. Each column has one member of this type, and a program lists those that it has. The order
/// of this list is that of findings, tables, sections and tabs.
package struct Capability: Sendable {
  fileprivate let contributions: [any Contribution]

  /// - Parameter contributions: a `RuleSet`, a `TableSet`, a `SectionSet`, a `ReportPart`: those that it has.
  package init(_ contributions: any Contribution...) { self.contributions = contributions }
}

/// What a host takes of capabilities.
package protocol Contribution: Sendable {}

extension [Capability] {
  /// What they add of one kind, in their order. O(n).
  package func all<Kind: Contribution>(_ kind: Kind.Type) -> [Kind] {
    flatMap(\.contributions).compactMap { $0 as? Kind }
  }
}
