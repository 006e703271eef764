import ArgumentParser
import Foundation
import OpTraceTimeline
import OpTraceModel

struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view",
    abstract: "Open a trace in the browser.",
    discussion: """
      A small server listens on 127.0.0.1 until Ctrl-C, at an address that cannot be guessed, so only browsers of this \
      machine that know it get the page. If the program still runs, the page is updated while you look at it.

      With --perfetto, Perfetto's page (https://ui.perfetto.dev) fetches the timeline from this machine, on port 9001, the only \
      one that it is allowed to use; then the command ends. Nothing leaves the machine. Documentation/pictures.md says who can \
      read what.

      Exit status: 0 after Ctrl-C, SIGTERM or the closing of the terminal, 73 if it cannot listen on the port.

      Example: optrace view run.optrace
      """)

  @OptionGroup var trace: ChosenTrace

  @Option(help: ArgumentHelp("The port to listen on; default: any free one.", valueName: "n"))
  var port: Int?

  @Flag(
    inversion: .prefixedNo, exclusivity: .exclusive,
    help: "Open the browser ($BROWSER, or the system's default). The address is printed in any case.")
  var open = true

  @Flag(help: "Open the timeline in Perfetto's page instead of the report.")
  var perfetto = false

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if let port, !(0...65535).contains(port) { throw ValidationError("--port must be from 0 to 65535.") }
    if perfetto, let port, port != PerfettoSite.port {
      throw ValidationError("--perfetto needs port \(PerfettoSite.port): omit --port.")
    }
  }

  func run() throws {
    let input = try trace.input(limit)
    let location = try input.location()
    let canBeReadAgain = input.canBeReadAgain
    let read = try input.read()
    let show = ViewedTrace(
      name: input.name, path: canBeReadAgain ? location : nil, unpacker: input.limit.unpacker, opensBrowser: open)
    if perfetto {
      try show.inPerfetto(read.trace)
    } else {
      try show.asReport(read.trace, port: port ?? 0)
    }
    try read.end()
  }
}
