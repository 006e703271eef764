import OpTracePacked
import OpTraceRunning
import ArgumentParser
import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// The argument TRACE of a command that reads one. Its options follow, and ``UnpackingLimit`` is the last of them:
/// `@OptionGroup var trace: TraceArgument`, …, `@OptionGroup var limit: UnpackingLimit`.
struct TraceArgument: ParsableArguments {
  @Argument(help: TraceInput.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var path: String

  func input(_ limit: UnpackingLimit) -> TraceInput { TraceInput(path: path, limit: limit) }
}

/// A trace that a command reads. Ways to read it:
/// - ``read(warns:)`` for what has happened; with ``InputTrace/withLiveNames()`` if the command names code;
/// - ``readWithFreshSnapshot()`` for what threads do now;
/// - ``LiveReadings`` if one reading of a running program may mislead, as for the doctor.
struct TraceInput {
  static let help = ArgumentHelp(
    "The trace: a file, '-' for standard input, or the process id of a program that is being recorded.",
    valueName: "trace")

  var path: String
  var limit = UnpackingLimit.standard
  /// How to look at a process that nobody recorded, or at a core file. Nil: such is no trace.
  var unprepared: Unprepared?
  /// Records a process that nobody records, and returns the path of its trace. Nil: such is no trace.
  var recorded: (@Sendable (_ process: UInt32) throws -> String)?
  /// Whether a note says what a trace that nobody recorded cannot show: not where the output does.
  var notesOrigin = true

  /// More are only counted.
  private static let mostLeftOut = 8

  /// The path for messages.
  var name: String { path == "-" ? "standard input" : "'\(printable(path))'" }

  /// Whether it is the id of a process: a number that is no file.
  static func isProcess(_ path: String) -> Bool {
    !path.isEmpty && path.utf8.allSatisfy { (0x30...0x39).contains($0) } && access(path.asPath, F_OK) != 0
  }

  /// The path to read. A number that is no file stands for the trace that the process with that id has mapped.
  func location() throws -> String {
    if path == "-" { return Call.current.inputPath }
    guard Self.isProcess(path) else {
      return try unprepared?.trace(ofCore: path) ?? path
    }
    let mapped = MappedTraces.paths(of: path)
    if mapped?.isEmpty ?? true, let process = UInt32(path) {
      if let recorded { return try recorded(process) }
      if let unprepared { return try unprepared.trace(ofProcess: process) }
    }
    guard let traces = mapped else {
      throw Failure(
        message: "cannot read \(name): there is no such file, and no process with this id that you may read",
        status: .noInput)
    }
    guard let first = traces.first else {
      throw Failure(message: "process \(path) is not being recorded", status: .noInput)
    }
    if traces.count > 1 {
      let list = traces.map { "\n  \(printable($0))" }.joined()
      throw Failure(
        message: "process \(path) records \(traces.count) traces, name one of them:\(list)", status: .usage)
    }
    return first
  }

  /// The process that is meant, if nobody records it; else nil.
  var unrecordedProcess: UInt32? {
    guard Self.isProcess(path), MappedTraces.paths(of: path)?.isEmpty ?? true else { return nil }
    return UInt32(path)
  }

  /// The output file, which must not be the trace itself.
  func output(_ path: String?) throws -> Output {
    let output = Output(path: path)
    var (source, target) = (stat(), stat())
    // What was made of a core file has another location.
    for input in Set([try location(), self.path]) {
      if let path = output.path, stat(input.asPath, &source) == 0, stat(path.asPath, &target) == 0,
        source.st_mode & S_IFMT == S_IFREG, source.st_dev == target.st_dev, source.st_ino == target.st_ino
      {
        throw Failure.usage("'\(printable(path))' is the trace itself: name another file with -o")
      }
    }
    return output
  }

  /// False for standard input and pipes, which can be read only once.
  var canBeReadAgain: Bool {
    var status = stat()
    return path != "-" && stat(((try? location()) ?? path).asPath, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Reads the trace. Warns on standard error if something is missing. Throws ``Failure`` if nothing can be read.
  func read(warns: Bool = true) throws -> InputTrace {
    let trace = try opened("reading") { try TraceReader.read(path: $0, unpacking: limit.unpacker) }
    if warns { warn(trace.loss) }
    if warns, notesOrigin, let origin = trace.origin {
      Console.note(origin.sentence(until: trace.end))
      for part in origin.leftOut.prefix(Self.mostLeftOut) { Console.note("left out: \(printable(part))") }
      let rest = origin.leftOut.count - Self.mostLeftOut
      if rest > 0 { Console.note("left out: \(grouped(rest)) more") }
    }
    return InputTrace(trace: trace)
  }

  /// Runs `body` on the trace's location, with progress. Throws ``Failure`` if nothing can be read.
  func opened<Value>(_ doing: String, _ body: (_ location: String) throws -> Value) throws -> Value {
    let location = try location()
    do {
      return try withProgress("\(doing) \(name)") { try body(location) }
    } catch let error as TraceError {
      throw failure(error)
    }
  }

  /// The message for an error of the reader, also for other commands that read events.
  func failure(_ error: TraceError) -> Failure {
    let status: ExitStatus = error.isMissingInput ? .noInput : .badInput
    let message =
      switch error.reason {
      case .noSuchFile: "cannot read \(name): no such file" + (Suggestion.file(for: path).map { "; \($0)" } ?? "")
      case .cannotRead(let why): "cannot read \(name): \(printable(why))"
      case .empty: "\(name) is empty: the program that should have written it recorded nothing"
      case .notATrace(let looks): "\(name) is not a trace: it looks like \(printable(looks))"
      case .newerVersion(let format, let writer):
        "\(name) was written by a newer OpTrace (\(printable(writer)), format \(printable(format))): "
          + "update optrace to read it"
      case .unreadableHeader(let why): "\(name) is damaged: its header cannot be read: \(printable(why))"
      case .text(let line, let what): "\(name) line \(line): \(printable(what))"
      case .notPacked: "\(name) is not packed: it is a trace as it is"
      case .tooLarge(let unpacked, let limit):
        "\(name) would unpack to \(grouped(unpacked)) bytes, and \(grouped(limit)) are the limit: if you trust it, "
          + "add --max-unpacked \(SizeArgument.text(unpacked))"
      case .changed: "\(name) has changed while it was read: read it again"
      }
    return Failure(message: message, status: status)
  }

  /// Warns about the first five damaged parts of the trace.
  func warn(ofDamage parts: [LossReport.Damage]) {
    let bytes = parts.reduce(UInt64(0)) { $0 &+ $1.skippedBytes }
    var text = "\(name) is damaged: \(counted(parts.count, "part")), \(counted(bytes, "byte")) not read"
    for damage in parts.prefix(5) {
      text +=
        "\n  at byte \(grouped(damage.offset)), \(counted(damage.skippedBytes, "byte")): \(printable(damage.reason))"
    }
    if parts.count > 5 { text += "\n  and \(grouped(parts.count - 5)) more" }
    Console.warning(text)
  }

  func warn(_ loss: LossReport) {
    if loss.isDamaged { warn(ofDamage: loss.damage) }
    if loss.lostCount > 0 {
      let reasons = loss.lost.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\(grouped($0.value)): \($0.key.explanation)" }
      let what = counted(loss.lostCount, "record", is: true)
      Console.warning("\(name): \(what) missing (\(reasons.joined(separator: "; ")))")
    }
    let unknown = loss.unknownKinds.values.reduce(0, +)
    if unknown > 0 {
      Console.warning(
        "\(name): \(counted(unknown, "record")) of a newer OpTrace left out; update optrace to read them")
    }
  }
}

/// The option of every command that reads traces. A command declares it after its own options: help lists them in the order
/// of declaration, and few need this one.
struct UnpackingLimit: ParsableArguments {
  @Option(
    name: .customLong("max-unpacked"),
    help: ArgumentHelp(
      "How large a packed trace may become, as 512M or 4G (default: 32 times its size, and 64M).", valueName: "size"))
  var size: SizeArgument?

  /// The value without the option. A property wrapper that was not parsed has no value, not even nil.
  static var standard: UnpackingLimit {
    var limit = UnpackingLimit()
    limit.size = nil
    return limit
  }

  var bytes: UInt64? { size?.bytes }
  var unpacker: TraceUnpacker { .packed(atMost: bytes) }
}

/// A trace that was read, and the exit status that its state requires.
struct InputTrace {
  var trace: Trace

  /// Ends a command that has printed its result: a damaged trace gives status 65, even if it could be read in part.
  func end() throws {
    if trace.loss.isDamaged { throw ExitStatus.badInput }
  }
}
