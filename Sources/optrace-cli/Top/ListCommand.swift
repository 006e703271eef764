import OpTraceLive
import ArgumentParser
import OpTraceText

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the programs that are being recorded.",
    discussion: """
      Programs of other users are left out, unless this one may look at them. Of each: for how long it has been recorded, \
      the trace, whether that is a ring (flight-recorder), and whether it runs or was stopped by a signal.

      'optrace top', 'doctor', 'view' and 'stacks' take the only one where no trace is named.

      Example: optrace list
      """)

  @Flag(help: "Write JSON; Documentation/json.md describes its keys.")
  var json = false

  func run() throws {
    let programs = RecordedPrograms.all()
    let output = Output.standard
    if json {
      try output.write(RecordedProgram.json(of: programs).bytes)
    } else {
      try output.write(RecordedProgram.text(of: programs, style: output.style))
    }
  }
}
