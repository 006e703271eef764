import ArgumentParser
import Foundation
import OpTraceTimeline
import OpTraceModel

struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view",
    abstract: "Open a trace in the browser.",
    discussion: """
      A small server gives the page to browsers on this machine, and to nobody else: it listens on 127.0.0.1, at an \
      address that cannot be guessed, until Ctrl-C. The page of a program that still runs goes on with it.

      With --perfetto, Perfetto's page (https://ui.perfetto.dev) fetches the timeline from this machine, on port 9001, the only one \
      that it may; then the command ends. Nothing is sent anywhere. Documentation/pictures.md says who gets what.

      Ends with status 0 when it is ended by Ctrl-C, SIGTERM, or the closing of its terminal; 73 where it cannot listen.

      Example: optrace view run.optrace
      """)

  @OptionGroup var trace: ChosenTrace

  @Option(help: ArgumentHelp("The port to listen on; by default any that is free.", valueName: "n"))
  var port: Int?

  @Flag(
    inversion: .prefixedNo, exclusivity: .exclusive,
    help: "Whether to open the browser ($BROWSER, else the system's own); the address is printed in any case.")
  var open = true

  @Flag(help: "Open the timeline in Perfetto's page instead of the report.")
  var perfetto = false

  func validate() throws {
    if let port, !(0...65535).contains(port) { throw ValidationError("--port must be from 0 to 65535.") }
    if perfetto, let port, port != PerfettoSite.port {
      throw ValidationError("--perfetto needs port \(PerfettoSite.port): leave --port away.")
    }
  }

  func run() throws {
    let input = try trace.input()
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
