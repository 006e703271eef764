package import Foundation

/// How a scenario is run. What a scenario does not know (see ``Scenario/options``) it ignores.
package struct ScenarioSettings: Sendable {
  /// How many operations a queue runs at a time; nil: what the scenario shows by itself.
  package var limit: Int?
  /// Leaves the program stuck in a cycle of dependencies.
  package var isStuck = false
  /// Runs a broken program without its fault.
  package var isFixed = false
  /// Seconds until a stuck program gives up, or of silence after which a broken one is ended; nil: what the scenario
  /// shows by itself.
  package var timeout: TimeInterval?
  /// Multiplies all durations.
  package var pace = 1.0

  package init() {}
}
