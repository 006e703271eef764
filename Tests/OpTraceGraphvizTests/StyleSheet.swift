/// What our style sheet sets for an element in the light colour scheme, by the cascade of CSS.
///
/// Knows elements, classes and descendants. Rules with other selectors are for moving parts and are ignored.
struct StyleSheet {
  private struct Rule {
    /// From the outermost element to the element itself.
    var compounds: [Compound]
    var declarations: [(name: String, value: String)]
    var index: Int

    var weight: [Int] {
      [compounds.reduce(0) { $0 + $1.classes.count }, compounds.count { $0.element != nil }, index]
    }
  }

  private struct Compound {
    var element: String?
    var classes: Set<String>

    init(_ text: Substring) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      element = parts.first.flatMap { $0.isEmpty ? nil : $0 }
      classes = Set(parts.dropFirst())
    }

    func fits(_ element: SVGReader.Element) -> Bool {
      (self.element == nil || self.element == element.name) && classes.isSubset(of: element.classes)
    }
  }

  private let rules: [Rule]

  init(_ text: String) {
    var rules: [Rule] = []
    // The part before the rules for the dark scheme.
    let light = text.firstRange(of: "@media").map { text[..<$0.lowerBound] } ?? text[...]
    for block in light.split(separator: "}") {
      let halves = block.split(separator: "{")
      guard halves.count == 2 else { continue }
      let declarations = halves[1].split(separator: ";").compactMap { line -> (String, String)? in
        let pair = line.split(separator: ":", maxSplits: 1)
        return pair.count == 2 ? (String(pair[0]), String(pair[1])) : nil
      }
      for selector in halves[0].split(separator: ",") where !selector.contains(":") && !selector.contains("[") {
        let compounds = selector.split(whereSeparator: \.isWhitespace).map(Compound.init)
        rules.append(Rule(compounds: compounds, declarations: declarations, index: rules.count))
      }
    }
    self.rules = rules
  }

  /// - Parameter path: the ancestors and the element, outermost first.
  func style(of path: [SVGReader.Element]) -> [String: String] {
    guard let element = path.last else { return [:] }
    var style: [String: String] = [:]
    let fitting = rules.filter { rule in
      guard let last = rule.compounds.last, last.fits(element) else { return false }
      var around = rule.compounds.dropLast()
      for parent in path.dropLast().reversed() {
        guard let wanted = around.last else { break }
        if wanted.fits(parent) { around = around.dropLast() }
      }
      return around.isEmpty
    }
    for rule in fitting.sorted(by: { $0.weight.lexicographicallyPrecedes($1.weight) }) {
      for (name, value) in rule.declarations { style[name] = value }
    }
    return style
  }
}
