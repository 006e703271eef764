import OpTraceLive
import ArgumentParser
import Foundation
import OpTraceModel
import OpTraceText

struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Watch a running program, once a second.",
    discussion: """
      Of each queue: its limit, how many operations execute, are ready and pend, for how long the oldest ready one has waited, how \
      many finish a second, and how long operations wait for a slot (half of them, and 99 of 100, at most). Below: what has been executing \
      longest, where, and who has what it waits for; what the doctor finds; dispatch queues and tasks, where these are recorded.

      Rates and percentiles are of the last 10 seconds. Only what is new is read. The program is not touched, but asked to look at \
      its threads where something lasts. In a terminal, '?' tells the keys. In a file or a pipe, lines come once a second, and with \
      --json an object on each line. A trace whose program has ended is shown as it was at its end.

      Example: optrace top 4711
      """)

  @OptionGroup var trace: ChosenTrace

  @Flag(help: "Look once, and end.")
  var once = false

  @Flag(help: "Write JSON, an object on each line; Documentation/json.md describes its keys.")
  var json = false

  func run() throws {
    let watched = try WatchedTrace(try trace.input())
    if once {
      try write(try watched.thoroughLook())
    } else if json || !Console.isTerminal(STDOUT_FILENO) || !Console.movesCursor {
      try writeLines(of: watched)
    } else {
      try TopScreen(watched).run()
    }
    try watched.end()
  }

  /// Until the program has ended, or nobody reads any more.
  private func writeLines(of watched: WatchedTrace) throws {
    while true {
      let look = try watched.look()
      guard try write(look) else { return }
      if look.isOver { return }
      Thread.sleep(forTimeInterval: watched.pause)
    }
  }

  /// False where nobody reads any more.
  @discardableResult
  private func write(_ look: WatchedTrace.Look) throws -> Bool {
    var bytes: [UInt8]
    if json {
      bytes = look.status.json(of: look.trace, findings: look.findings).line
    } else {
      let lines = look.frame.lines(style: Output.standard.style)
      bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
      if !once { bytes.append(UInt8(ascii: "\n")) }
    }
    guard let number = FileHandleWriter.writeAll(bytes, to: STDOUT_FILENO) else { return true }
    if number == EPIPE { return false }
    throw Failure.cannotWrite("-", reason(number))
  }
}
