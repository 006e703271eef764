import OpTraceRunning
import ArgumentParser
import OpTraceText

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the programs that are being recorded.",
    discussion: """
      Programs of other users are listed only if you have access to them. For each: how long it has been recorded, the \
      trace, whether that is a ring (flight-recorder), and whether it runs or was stopped by a signal.

      Without an argument, 'optrace top', 'doctor', 'view' and 'stacks' use the program that is recorded, if there is only one.

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
