import CTestSupport
public import Foundation
import OpTraceModel
public import Testing

/// The sides of a program's three streams, until it has its own.
struct Spawn: ~Copyable {
  /// What the program gets, by the streams' numbers.
  private var numbers: [Int32] = [0, 1, 2]
  /// What is to be closed when the program has it.
  private var sides: [Side] = []

  private final class Side {
    let descriptor: OwnedDescriptor
    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
  }

  /// - Returns: our side, where it is a pipe.
  mutating func connect(_ stream: Int32, _ kind: RunningProgram.Stream) throws -> OwnedDescriptor? {
    let isInput = stream == STDIN_FILENO
    switch kind {
    case .inherited: numbers[Int(stream)] = stream
    case .none: try open("/dev/null", for: stream)
    case .file(let url): try open(url.path, for: stream)
    case .descriptor(let other): numbers[Int(stream)] = other
    case .output: numbers[Int(stream)] = numbers[Int(STDOUT_FILENO)]
    case .pipe:
      var ends: [Int32] = [-1, -1]
      guard test_pipe(&ends) == 0, let reading = OwnedDescriptor(ends[0]), let writing = OwnedDescriptor(ends[1]) else {
        throw RunningProgram.CannotRun(what: "make a pipe", number: errno)
      }
      if isInput {
        give(reading, stream)
        return writing
      }
      give(writing, stream)
      return reading
    }
    return nil
  }

  private mutating func open(_ path: String, for stream: Int32) throws {
    let flags = stream == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
    guard let descriptor = OwnedDescriptor(Foundation.open(path, flags | O_CLOEXEC | O_NOCTTY, 0o666)) else {
      throw RunningProgram.CannotRun(what: "open \(path)", number: errno)
    }
    give(descriptor, stream)
  }

  private mutating func give(_ descriptor: consuming OwnedDescriptor, _ stream: Int32) {
    numbers[Int(stream)] = descriptor.number
    sides.append(Side(descriptor))
  }

  consuming func run(
    _ path: String, _ arguments: [String], _ environment: [String: String], in folder: URL?
  ) throws -> pid_t {
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var process = pid_t()
    let error = test_spawn(&process, path, &words, &variables, folder?.path, numbers)
    guard error == 0 else { throw RunningProgram.CannotRun(what: "run \(path)", number: error) }
    return process
  }
}

/// What a program left that has come to its end.
public struct ProgramResult: Equatable, Sendable {
  /// As a shell tells it: 128 and the signal's number for one that was killed.
  public var status: Int32
  public var output: String
  public var errors: String

  public init(status: Int32, output: String, errors: String) {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

extension RunningProgram {
  /// Runs a program to its end. Its streams are files, so that nobody has to read while it writes.
  public static func run(
    _ executable: URL, _ arguments: [String] = [], environment: [String: String]? = nil, in folder: URL? = nil,
    input: [UInt8] = [], errorsToOutput: Bool = false, _ location: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    let scratch = try Scratch()
    try scratch.write("input", input)
    let program = try RunningProgram(
      executable, arguments, environment: environment, in: folder, input: .file(scratch.file("input")),
      output: .file(scratch.file("output")), errors: errorsToOutput ? .output : .file(scratch.file("errors")))
    let ending = program.end(location)
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: scratch.file(name)), as: UTF8.self)
    }
    return ProgramResult(
      status: ending.status, output: try text("output"), errors: errorsToOutput ? "" : try text("errors"))
  }
}
