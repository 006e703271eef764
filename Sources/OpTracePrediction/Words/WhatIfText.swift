package import OpTraceText
import OpTraceModel

/// A `WhatIf` for people.
package struct WhatIfText: Sendable {
  private static let longestPath = 12
  private static let mostOperations = 5
  private static let mostStuck = 10

  private let whatIf: WhatIf
  private let isRanking: Bool
  private let style: TextStyle

  /// - Parameter isRanking: the scenarios are suggestions, the best first.
  package init(_ whatIf: WhatIf, isRanking: Bool = false, style: TextStyle = .plain) {
    (self.whatIf, self.isRanking, self.style) = (whatIf, isRanking, style)
  }

  /// Ends with a line end. O(scenarios).
  package var text: String {
    var parts = [replay]
    if isRanking {
      parts.append(ranking)
    } else {
      parts += whatIf.scenarios.map(scenario)
    }
    parts.append(assumptions)
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  // MARK: - The replay

  private var replay: String {
    let replayed = whatIf.replay.wall.map { "replayed \(duration($0))" } ?? "the replayed run never ends"
    let recorded = whatIf.recordedWall.map { "recorded \(duration($0))" } ?? "the recorded run did not end"
    let verdict =
      whatIf.replay.isTrusted
      ? style.paint(.good, "the replay matches") : style.paint(.warning, "the predictions are not reliable")
    return "\(replayed), \(recorded): \(verdict)\n" + list(whatIf.replay.reasons)
  }

  private func list(_ sentences: [String]) -> String {
    sentences.map { "  \(TerminalText.printable($0))\n" }.joined()
  }

  // MARK: - Scenarios

  private func title(_ scenario: Prediction) -> String {
    scenario.changes.isEmpty
      ? "nothing changed" : scenario.changes.map { TerminalText.printable($0.shellText) }.joined(separator: " ")
  }

  private func scenario(_ scenario: Prediction) -> String {
    var text = style.paint(.strong, title(scenario)) + "\n"
    if let wall = scenario.wall {
      text += "  \(range(wall))\(change(wall.likely))\n"
    } else {
      text += "  " + style.paint(.error, "never ends") + "\n"
    }
    if !scenario.neverEnds.isEmpty { text += "  never finish: \(names(scenario.neverEnds, Self.mostStuck, "and"))\n" }
    if scenario.shortages > 0 {
      let times = scenario.shortages == 1 ? "once" : "\(grouped(scenario.shortages)) times"
      text +=
        "  " + style.paint(.warning, "starves the pool")
        + ": operations that wait hold all its threads; \(times) the work "
      text += "that they wait for\n    gets one only when the system adds one, which it does once a second\n"
    }
    if !scenario.criticalPath.isEmpty {
      text += "  critical path: \(names(scenario.criticalPath, Self.longestPath, "and"))\n"
    }
    let longer = scenario.operations.filter { $0.wait > 0 }.sorted { ($1.wait, $0.id) < ($0.wait, $1.id) }
    if !longer.isEmpty {
      let shown = longer.prefix(Self.mostOperations).map { "\(name($0.id)) +\(duration($0.wait))" }
      text += "  waits longer: \(shown.joined(separator: ", "))\(more(longer.count - Self.mostOperations))\n"
    }
    return text
  }

  /// `1.2 s (1.18 s to 1.25 s)`: never a number without its range.
  private func range(_ wall: Prediction.Wall) -> String {
    "\(duration(wall.likely)) (\(duration(wall.low)) to \(duration(wall.high)))"
  }

  private func change(_ wall: Nanoseconds) -> String {
    guard let recorded = whatIf.recordedWall, recorded > 0 else { return "" }
    let share = Double(wall - recorded) / Double(recorded)
    if abs(share) < 0.001 { return ", as recorded" }
    let (word, role): (String, TextStyle.Role) = share < 0 ? ("less", .good) : ("more", .warning)
    let difference = share < 0 ? recorded - wall : wall - recorded
    return ", " + style.paint(role, "\(duration(difference)) \(word) (\(percent(abs(share))))")
  }

  private func name(_ id: OperationID) -> String {
    TerminalText.printable(whatIf.names[id].flatMap { $0.isEmpty ? nil : $0 } ?? id.description)
  }

  private func names(_ ids: [OperationID], _ most: Int, _ word: String) -> String {
    ids.prefix(most).map(name).joined(separator: " › ") + more(ids.count - most)
  }

  private func more(_ count: Int) -> String { count > 0 ? " and \(grouped(count)) more" : "" }

  // MARK: - Suggestions

  private var ranking: String {
    guard !whatIf.scenarios.isEmpty else { return "no change that was tried makes it faster\n" }
    var table = TextTable([.text("change", widest: 60), .number("predicted"), .text("range"), .number("saves")])
    for scenario in whatIf.scenarios {
      guard let wall = scenario.wall else {
        table.add([title(scenario), "never ends"])
        continue
      }
      var saved = ""
      if let recorded = whatIf.recordedWall, recorded > 0 {
        saved = percent(max(0, Double(recorded - wall.likely) / Double(recorded)))
      }
      table.add([title(scenario), duration(wall.likely), "\(duration(wall.low)) to \(duration(wall.high))", saved])
    }
    return table.text(style)
  }

  private var assumptions: String {
    var seen: Set<String> = []
    let all = whatIf.scenarios.flatMap(\.assumptions).filter { seen.insert($0).inserted }
    return all.isEmpty ? "" : style.paint(.strong, "Assumed") + "\n" + list(all)
  }
}
