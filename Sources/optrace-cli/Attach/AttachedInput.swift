import ArgumentParser
import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// The option of commands that record a program first, if nobody records it.
struct AttachedTime: ParsableArguments {
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "If the trace is the process id of a program that nobody records: record it for so long first (default: 10s).",
      valueName: "time"))
  var duration: TimeArgument?

  func validate() throws { try Self.check(duration, such: "10s") }

  /// Throws if it is no time to record for.
  static func check(_ duration: TimeArgument?, such example: String) throws {
    if let duration, duration.nanoseconds <= 0 {
      throw ValidationError("--for needs a time above 0, such as \(example).")
    }
  }

  var input: AttachedInput { AttachedInput(nanoseconds: duration?.nanoseconds ?? AttachedInput.usual) }

  /// The same, with this recorded besides: environment variables.
  func input(with more: [String: String]) -> AttachedInput {
    var input = input
    input.settings.merge(more) { $1 }
    return input
  }
}

/// How to make a trace of a process that nobody records: it is recorded for some time. Nothing is left of it.
struct AttachedInput: Sendable {
  static let usual: Nanoseconds = 10_000_000_000
  var nanoseconds = usual
  /// What is recorded, as environment variables.
  var settings = RecordedParts.everything

  /// The path of a trace of this process from now on. One call of the command records it once.
  @Sendable func trace(of process: UInt32) throws -> String {
    #if os(Linux)
      return try Call.current.kept(AttachedStore.init).path(for: process) {
        let recording = try PassingRecording(of: process, settings: settings)
        Console.note(
          "recording process \(process) for \(OpTraceText.duration(nanoseconds)); Ctrl-C ends that, not the program")
        try recording.finish(after: nanoseconds)
        return recording
      }
    #else
      throw Failure(message: "process \(process) is not being recorded", status: .noInput)
    #endif
  }
}

#if os(Linux)
  import OpTraceAttach

  /// A recording of a running program whose trace goes with this command.
  final class PassingRecording: Sendable {
    private let run: AttachedRun
    private let attachment: AttachedRecording
    private let file: OwnedDescriptor
    /// Under which this process can open it.
    var path: String { "/proc/self/fd/\(file.number)" }

    init(of process: UInt32, settings: [String: String] = RecordedParts.everything) throws {
      let name = NSTemporaryDirectory() + "optrace-\(process)-\(UUID().uuidString).optrace"
      let run = AttachedRun(process: process, path: name, settings: settings)
      let attachment = try run.begin(told: false)
      let file = OwnedDescriptor(open(attachment.trace.asPath, O_RDWR | O_CLOEXEC))
      let number = errno
      // Nothing is left if this process is killed.
      unlink(attachment.trace.asPath)
      (self.run, self.attachment) = (run, attachment)
      guard let file else {
        run.end(attachment)
        throw Failure(message: "cannot read '\(printable(name))': \(reason(number))", status: .noInput)
      }
      self.file = file
    }

    func finish(after nanoseconds: Nanoseconds) throws {
      try run.waitAndEnd(attachment, after: nanoseconds)
      // Names of code, as long as the program's files are what they were.
      if let trace = try? TraceReader.read(path: path) { _ = try? TraceSymbols(of: trace.stacks).add(toFile: path) }
    }

    func end() { run.end(attachment) }

    /// Ends it later, while others read it. Nil: not by itself.
    func end(after nanoseconds: Nanoseconds?) {
      guard let nanoseconds else { return }
      Thread.detachNewThread { [attachment] in
        Thread.sleep(forTimeInterval: Double(nanoseconds) / 1e9)
        _ = attachment.end()
      }
    }
  }

  /// What one call of the command has recorded.
  ///
  /// Sendable: the lock guards what changes.
  final class AttachedStore: @unchecked Sendable {
    private let lock = NSLock()
    private var recordings: [UInt32: PassingRecording] = [:]

    func path(for process: UInt32, _ record: () throws -> PassingRecording) throws -> String {
      try lock.withLock {
        if let known = recordings[process] { return known.path }
        let made = try record()
        recordings[process] = made
        return made.path
      }
    }
  }
#endif
