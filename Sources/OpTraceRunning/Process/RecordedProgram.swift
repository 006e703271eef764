package import OpTraceText
package import OpTraceModel

/// A program on this machine that is being recorded, and where: what `optrace list` shows.
package struct RecordedProgram: Sendable, Equatable {
  /// Whether it is running.
  package enum State: String, Sendable, CaseIterable {
    /// It runs, or waits for something.
    case running
    /// It was stopped by a signal or a debugger.
    case stopped
  }

  /// The process id.
  package var processID: UInt32
  /// Its name.
  package var program: String
  /// How long it has been recorded.
  package var since: Nanoseconds
  /// The path of the trace.
  package var file: String
  /// What the recorder does when its file has grown.
  package var mode: TraceHeader.Mode
  /// Whether it is running.
  package var state: State

  /// - Parameters: as the properties say.
  package init(
    processID: UInt32, program: String, since: Nanoseconds, file: String, mode: TraceHeader.Mode, state: State
  ) {
    (self.processID, self.program, self.since) = (processID, program, since)
    (self.file, self.mode, self.state) = (file, mode, state)
  }

  /// The form of `optrace list --json`; its keys are a contract (Documentation/json.md).
  package static func json(of programs: [RecordedProgram]) -> JSONValue {
    .members([
      "version": .integer(1),
      "processes": .array(
        programs.map { program in
          .members([
            "pid": .integer(Int(program.processID)),
            "program": .string(program.program),
            "sinceSeconds": .seconds(program.since),
            "file": .string(program.file),
            "mode": .string(program.mode.rawValue),
            "state": .string(program.state.rawValue),
          ])
        }),
    ])
  }

  /// A table, or a sentence if there are no programs.
  package static func text(of programs: [RecordedProgram], style: TextStyle, indent: Int = 0) -> String {
    guard !programs.isEmpty else { return "No program on this machine is being recorded.\n" }
    var table = TextTable([
      .number("pid"), .text("program"), .number("for"), .text("mode"), .text("state"), .text("file", widest: .max),
    ])
    for program in programs {
      table.add([
        String(program.processID), program.program, duration(program.since), program.mode.rawValue,
        program.state.rawValue,
        program.file,
      ])
    }
    return table.text(style, indent: indent)
  }
}
