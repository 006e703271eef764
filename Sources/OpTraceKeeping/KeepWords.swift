package import OpTraceDoctor
import OpTraceKernel
package import OpTraceModel
import OpTraceText

/// Why a file was kept, in a few words: the condition, and what met it.
package enum KeepWords {
  /// Names of the program are cut, so that what follows them stays.
  private static let longestName = 100

  /// - Parameter lengths: of the units that took longer, with the name of their kind; not empty.
  package static func request(_ condition: KeepCondition, _ units: [(kind: String, length: Nanoseconds)]) -> String {
    guard let longest = units.max(by: { $0.length < $1.length }) else { return condition.text }
    var text = "\(condition.text): \(name(longest.kind)) took \(DurationText.text(longest.length))"
    if units.count > 1 { text += ", and \(counted(units.count - 1, "other unit")) took longer, too" }
    return text
  }

  /// - Parameters: the kind of units, the 99th percentile of their lengths, and how many there were.
  package static func p99(_ condition: KeepCondition, of kind: String, _ p99: Nanoseconds, count: Int) -> String {
    "\(condition.text): p99 of \(name(kind)) was \(DurationText.text(p99)) in ten seconds, \(counted(count, "unit"))"
  }

  package static func finding(_ condition: KeepCondition, _ finding: Finding) -> String {
    "\(condition.text): \(finding.code): \(finding.title)"
  }

  package static func cpu(_ condition: KeepCondition, share: Double, processors: Double) -> String {
    let whole = processors == processors.rounded()
    let count = whole ? "\(Int(processors))" : "\((processors * 10).rounded() / 10)"
    return "\(condition.text): \(percent(share)) of \(count) processor\(processors == 1 ? "" : "s") in ten seconds"
  }

  package static func rss(_ condition: KeepCondition, bytes: UInt64) -> String {
    "\(condition.text): \(grouped(bytes >> 20)) MiB of memory in use"
  }

  package static func stall(_ condition: KeepCondition, answer: String) -> String { "\(condition.text): \(answer)" }

  private static func name(_ text: String) -> String {
    text.count > longestName ? text.prefix(longestName) + "…" : text
  }
}
