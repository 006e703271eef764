#if CLI
  import ArgumentParser
  import OpTraceModel
  import OpTraceText

  /// `optrace validate`: is this trace what the format says, and did the states follow each other as they must?
  struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "validate",
      abstract: "Checks every rule of the trace format and of the operations' state machine.",
      discussion: """
        Prints one line and ends with 0 when all rules are kept; else each violation and each damaged place has a \
        line, and the status is 65. A trace whose program still runs or was killed is not damaged. Where records were \
        lost or replaced, rules that rest on the absence of an event are not applied.

        Example: optrace validate run.optrace
        """)

    @OptionGroup var input: TraceInput

    @Option(help: ArgumentHelp("Print at most this many violations; the summary counts all.", valueName: "n"))
    var limit = 100

    func validate() throws {
      guard limit >= 0 else { throw ValidationError("'--limit' is a number of lines, 0 or more.") }
    }

    func run() throws {
      let events = try input.readEvents()
      let violations = withProgress("checking \(input.name)") { TraceValidator.check(events) }
      let damage = events.loss.damage
      try Output.standard.write(report(events, violations))
      if !violations.isEmpty || !damage.isEmpty { throw ExitStatus.badInput }
    }

    private func report(_ events: TraceEvents, _ violations: [Violation]) -> String {
      let damage = events.loss.damage
      var text = ""
      for place in damage {
        text +=
          "byte \(grouped(place.offset)): \(printable(place.reason)); \(counted(place.skippedBytes, "byte")) not read\n"
      }
      for violation in violations.prefix(limit) { text += printable(violation.description) + "\n" }
      if violations.count > limit { text += "… and \(grouped(violations.count - limit)) more\n" }
      if violations.isEmpty, damage.isEmpty {
        text += "ok: \(counted(events.count, "event"))" + remarks(events) + "\n"
      } else {
        text +=
          "not ok: \(counted(events.count, "event")), \(counted(violations.count, "violation")), "
          + "\(counted(damage.count, "damaged place"))" + remarks(events) + "\n"
      }
      return text
    }

    /// What is no fault and yet good to know.
    private func remarks(_ events: TraceEvents) -> String {
      var result = ""
      let lost = events.loss.lostCount
      if lost > 0 { result += ", \(counted(lost, "record")) lost" }
      if events.loss.overwrittenBytes > 0 {
        result += ", \(counted(events.loss.overwrittenBytes, "byte")) replaced by newer ones in the ring"
      }
      let unknown = events.loss.unknownKinds.values.reduce(0, +)
      if unknown > 0 { result += ", \(counted(unknown, "record")) of a newer version" }
      if !events.header.isClosed { result += ", not closed (the process runs or was killed)" }
      return result
    }
  }

  extension TraceInput {
    /// Reads the events without interpreting them. Throws ``Failure`` where nothing can be read.
    func readEvents() throws -> TraceEvents {
      let location = try location()
      do {
        return try withProgress("reading \(name)") {
          try TraceReader.events(path: location, unpackingAtMost: limit.bytes)
        }
      } catch let error as TraceError {
        throw failure(error)
      }
    }
  }
#endif
