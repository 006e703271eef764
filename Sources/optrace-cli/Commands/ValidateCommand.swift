import ArgumentParser
import OpTraceModel
import OpTraceText

/// `optrace validate`: checks that a trace follows the format, and that states follow each other as they must.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a trace against the rules of the format.",
    discussion: """
      Prints one line and ends with 0 when all rules are kept (of a full flight recorder first how many seconds are \
      complete); else each violation and each damaged part has a \
      line, and the status is 65. A trace whose program still runs or was killed is not damaged. Where records were \
      lost or replaced, rules that rest on the absence of an event are not applied.

      Example: optrace validate run.optrace
      """)

  @OptionGroup var trace: TraceArgument

  @Option(help: ArgumentHelp("Print at most this many violations; the summary counts all.", valueName: "n"))
  var limit = 100

  @OptionGroup var unpacking: UnpackingLimit

  private var input: TraceInput { trace.input(unpacking) }

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("'--limit' is a number of lines, 0 or more.") }
  }

  func run() throws {
    let result = try input.opened("checking") {
      try TraceValidator.check(path: $0, unpacking: input.limit.unpacker)
    }
    try Output.standard.write(report(result))
    if !result.violations.isEmpty || !result.loss.damage.isEmpty { throw ExitStatus.badInput }
  }

  private func report(_ result: TraceValidator.Result) -> String {
    let (damage, violations) = (result.loss.damage, result.violations)
    var text = result.loss.completeness(until: result.end).map { $0 + "\n" } ?? ""
    for part in damage {
      text +=
        "byte \(grouped(part.offset)): \(printable(part.reason)); \(counted(part.skippedBytes, "byte")) not read\n"
    }
    for violation in violations.prefix(limit) { text += printable(violation.description) + "\n" }
    if violations.count > limit { text += "… and \(grouped(violations.count - limit)) more\n" }
    if violations.isEmpty, damage.isEmpty {
      text += "ok: \(counted(result.eventCount, "event"))" + remarks(result) + "\n"
    } else {
      text +=
        "not ok: \(counted(result.eventCount, "event")), \(counted(violations.count, "violation")), "
        + "\(counted(damage.count, "damaged part"))" + remarks(result) + "\n"
    }
    return text
  }

  /// Remarks about what is not a fault, but good to know.
  private func remarks(_ result: TraceValidator.Result) -> String {
    var text = ""
    let lost = result.loss.lostCount
    if lost > 0 { text += ", \(counted(lost, "record")) lost" }
    if result.loss.overwrittenBytes > 0 {
      text += ", \(counted(result.loss.overwrittenBytes, "byte")) replaced by newer ones in the ring"
    }
    if result.lostEnds > 0 { text += ", \(counted(result.lostEnds, "end")) of work lost with them (unknown, not open)" }
    let unknown = result.loss.unknownKinds.values.reduce(0, +)
    if unknown > 0 { text += ", \(counted(unknown, "record")) of a newer version" }
    if result.header.kept != nil {
      text += ", kept while the process ran on"
    } else if !result.header.isClosed {
      text += ", not closed (the process runs or was killed)"
    }
    return text
  }
}
