import OpTraceText
import OpTraceModel

/// Figures of a comparison as every output writes them.
package enum ComparisonFigures {
  /// `12`, `12 to 15`.
  package static func range(_ counts: ClosedRange<Int>) -> String {
    counts.count == 1 ? grouped(counts.lowerBound) : "\(grouped(counts.lowerBound)) to \(grouped(counts.upperBound))"
  }

  /// `x1.07`.
  package static func ratio(_ value: Double) -> String {
    guard value.isFinite, value < 1000 else { return ">x1000" }
    let hundredths = Int((value * 100).rounded())
    if hundredths <= 0 { return "<x0.01" }
    return "x\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// `0.012`, `<0.001`.
  package static func probability(_ value: Double) -> String {
    if value < 0.001 { return "<0.001" }
    let thousandths = String(Int((min(value, 1) * 1000).rounded()))
    if thousandths == "1000" { return "1" }
    return "0." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
  }
}

extension WorkPattern {
  /// The name, and behind it in parentheses what runs, where that is something else.
  package var title: String {
    let kind = function ?? className
    return kind == name || kind.isEmpty ? name : "\(name) (\(kind))"
  }
}
