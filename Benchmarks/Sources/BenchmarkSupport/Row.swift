import Foundation

/// One line of the results.
public struct Row: Codable, Sendable {
  public enum Verdict: String, Codable, Sendable {
    case met
    case missed
    /// There is no goal for it: it explains another line.
    case none
  }

  public var group: String
  public var name: String
  public var value: Spread
  /// `x` for a ratio, else a unit.
  public var unit: String
  /// At most this much, or at least where `isLeast`.
  public var goal: Double?
  public var isLeast: Bool
  /// No question of the machine: to miss it is a fault, and ends the program with a status of 1.
  public var isGate = false
  public var note: String

  public init(
    _ group: String, _ name: String, _ value: Spread, _ unit: String, atMost: Double? = nil, atLeast: Double? = nil,
    note: String = ""
  ) {
    self.group = group
    self.name = name
    self.value = value
    self.unit = unit
    goal = atMost ?? atLeast
    isLeast = atMost == nil && atLeast != nil
    self.note = note
  }

  public init(
    _ group: String, _ name: String, _ value: Double, _ unit: String, atMost: Double? = nil, atLeast: Double? = nil,
    note: String = ""
  ) {
    self.init(group, name, Spread([value]), unit, atMost: atMost, atLeast: atLeast, note: note)
  }

  /// A count that must not be exceeded, whatever the machine does.
  public static func gate(_ group: String, _ name: String, _ value: Double, _ unit: String, atMost: Double) -> Row {
    var row = Row(group, name, value, unit, atMost: atMost)
    row.isGate = true
    return row
  }

  public var verdict: Verdict {
    guard let goal else { return .none }
    return (isLeast ? value.median >= goal : value.median <= goal) ? .met : .missed
  }

  /// What it was; with its goal, what it should be, and whether it is so.
  public func text(showsGoal: Bool) -> String {
    var parts = ["  " + name.padding(toLength: max(52, name.count), withPad: " ", startingAt: 0)]
    parts.append(Self.right(number(value.median) + " " + unit, 14))
    let spread = value.count > 1 ? "\(number(value.low)) to \(number(value.high)), \(value.count) rounds" : ""
    parts.append(spread.padding(toLength: max(30, spread.count), withPad: " ", startingAt: 0))
    if let goal, showsGoal || isGate {
      let text = "\(isLeast ? "at least" : "at most") \(number(goal)) \(unit)"
      parts.append((verdict == .met ? "met:    " : "MISSED: ") + text)
    }
    if !note.isEmpty { parts.append("(\(note))") }
    return parts.joined(separator: "  ").trimmingCharacters(in: .init(charactersIn: " ")).indented
  }

  private func number(_ value: Double) -> String {
    if unit == "x" { return String(format: "%.3f", value) }
    return value == value.rounded() || abs(value) >= 1000
      ? String(format: "%.0f", value) : String(format: abs(value) < 10 ? "%.2f" : "%.1f", value)
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

extension String {
  fileprivate var indented: String { "  " + self }
}
