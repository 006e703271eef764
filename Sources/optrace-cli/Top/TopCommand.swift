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
      For each queue: its limit, how many operations are executing, ready and pending, how long the oldest ready one has \
      waited, how many finish per second, and how long operations wait for a slot (p50 and p99). Below: the operations that have \
      been executing longest, where they are, and who holds what they wait for; findings of the doctor; if these are recorded, \
      kinds of requests, event loops and actors (see 'optrace requests'), dispatch queues and tasks.

      Rates and percentiles are of the last 10 seconds. The program is not disturbed; only if an operation takes long, its \
      recorder is asked for a snapshot of the threads. In a terminal, '?' shows the keys. In a file or a pipe there is a text per \
      second, with --json an object on each line. If the program has ended, its last state is shown once. A program that nobody \
      records is recorded for as long as it is watched; with --once it is only looked at.

      Example: optrace top 4711
      """)

  @OptionGroup var trace: ChosenTrace

  @Flag(help: "Print the current state once, and end.")
  var once = false

  @Flag(help: "Write JSON, an object on each line; Documentation/json.md describes its keys.")
  var json = false

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "If nobody records the program: record it for so long at most. By default for as long as it is watched.",
      valueName: "time"))
  var duration: TimeArgument?

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    try AttachedTime.check(duration, such: "10s")
    if once, duration != nil { throw ValidationError("--once records nothing: omit --for.") }
  }

  func run() throws {
    var input = try trace.input(limit, once ? Unprepared(takesCores: false) : nil)
    #if os(Linux)
      let recording = try once ? nil : input.unrecordedProcess.map { try PassingRecording(of: $0) }
      defer { recording?.end() }
      if let recording {
        input.path = recording.path
        recording.end(after: duration?.nanoseconds)
      }
    #endif
    let watched = try WatchedTrace(input)
    if once {
      try write(try watched.thoroughReading())
    } else if json || !Console.isTerminal(STDOUT_FILENO) || !Console.movesCursor {
      try writeLines(of: watched)
    } else {
      try TopScreen(watched).run()
    }
    try watched.end()
  }

  /// Until the program has ended, or the pipe is closed.
  private func writeLines(of watched: WatchedTrace) throws {
    while true {
      let reading = try watched.reading()
      guard try write(reading) else { return }
      if reading.isOver { return }
      Thread.sleep(forTimeInterval: watched.pause)
    }
  }

  /// False: the pipe is closed.
  @discardableResult
  private func write(_ reading: WatchedTrace.Reading) throws -> Bool {
    var bytes: [UInt8]
    if json {
      bytes =
        reading.status.json(
          of: reading.trace, findings: reading.findings, sections: reading.sections
        ).line
    } else {
      let lines = reading.frame.lines(style: Output.standard.style)
      bytes = Array(TerminalText.harmless(lines.joined(separator: "\n") + "\n").utf8)
      if !once { bytes.append(UInt8(ascii: "\n")) }
    }
    guard let number = FileHandleWriter.writeAll(bytes, to: STDOUT_FILENO) else { return true }
    if number == EPIPE { return false }
    throw Failure.cannotWrite("-", reason(number))
  }
}
