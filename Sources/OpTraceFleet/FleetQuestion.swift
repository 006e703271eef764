package import OpTraceTables

/// What is asked of many hosts: in ClickHouse only, as a trace knows neither its host nor its program's version.
package enum FleetQuestion {
  /// How much longer a group's operations of each class run than those of all other groups, by the middle of each.
  private static func differs(_ group: String) -> String {
    """
    SELECT \(group), class, operations, running, usual, round(running / nullif(usual, 0), 2) AS times
    FROM (
      SELECT \(group), class, operations, running,
        quantileExact(0.499999999999)(running) OVER (PARTITION BY class) AS usual
      FROM (
        SELECT t.\(group) AS \(group), o.class AS class, count() AS operations, p50(assumeNotNull(o.running)) AS running
        FROM operations o JOIN traces t ON t.trace = o.trace
        WHERE o.running IS NOT NULL GROUP BY t.\(group), o.class))
    ORDER BY times DESC, operations DESC
    """
  }

  /// In the order in which they are printed.
  package static let all: [Question] = [
    Question(
      "hosts-that-differ", "Which host's operations of which class run longer than elsewhere?", differs("host")),
    Question(
      "versions-that-differ", "With which version of the program do operations of which class run longer?",
      differs("version")),
    Question(
      "since-when", "On which day did operations of which class begin to run longer?",
      """
      SELECT class, day, operations, running, before, round(running / nullif(before, 0), 2) AS times
      FROM (
        SELECT class, day, operations, running,
          lagInFrame(toNullable(running)) OVER (
            PARTITION BY class ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
        FROM (
          SELECT o.class AS class, o.day AS day, count() AS operations, p50(assumeNotNull(o.running)) AS running
          FROM operations o WHERE o.running IS NOT NULL GROUP BY o.class, o.day))
      WHERE before IS NOT NULL ORDER BY times DESC, day
      """),
    Question(
      "findings-by-host", "What does the doctor find, on how many hosts, and since when?",
      """
      SELECT f.code AS code, f.severity AS severity, uniqExact(t.host) AS hosts, count() AS findings,
        min(t.day) AS first_day, max(t.day) AS last_day, any(f.title) AS example
      FROM findings f JOIN traces t ON t.trace = f.trace
      GROUP BY f.code, f.severity ORDER BY hosts DESC, findings DESC
      """),
    Question(
      "losses-by-host", "Which hosts' traces miss records?",
      """
      SELECT host, count() AS traces, sum(lost) AS lost, sum(damaged) AS damaged, sum(closed = 0) AS not_closed
      FROM traces GROUP BY host HAVING lost > 0 OR damaged > 0 OR not_closed > 0 ORDER BY lost DESC, host
      """),
  ]
}
