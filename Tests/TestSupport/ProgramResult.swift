public import Foundation
public import Testing

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
