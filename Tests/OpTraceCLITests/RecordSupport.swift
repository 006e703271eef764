#if os(Linux)
  import Foundation
  import OpTraceModel
  import OpTracePacked
  import TestSupport
  import Testing

  /// A folder in which `optrace record` is called.
  struct RecordFolder {
    let folder: Scratch

    init() throws { folder = try Scratch() }

    /// The test program, which does not use OpTrace. It is in the command's folder.
    static var program: String {
      get throws {
        try Command.executable.deletingLastPathComponent().appendingPathComponent("RecordTestProgram").path
      }
    }

    static let enter = #"cd "$1" || exit; shift; "#

    /// Shell code that waits until the trace NAME.optrace of each program has a snapshot, at most 40 seconds.
    static func untilSeen(_ names: [String]) -> String {
      """
      left="\(names.joined(separator: " "))"
      for round in $(seq 40); do
        sleep 1
        unseen=
        for name in $left; do
          "$optrace" dump $name.optrace -o - 2>/dev/null | grep -q ' looked ' || unseen="$unseen $name"
        done
        left=$unseen
        [ -z "$left" ] && break
      done
      """
    }

    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// Compiles a program of the tests into the folder.
    @discardableResult
    func compile(_ program: String, as name: String, _ options: String = "") throws -> String {
      let made = try CompiledPrograms.path(program, as: name, options)
      try Self.copy(made, to: folder.path(name))
      return folder.path(name)
    }

    /// Copies a program with another process. Other tests fork this one, and a file that a child has open for writing
    /// cannot be run.
    static func copy(_ program: String, to path: String) throws {
      let copied = try Command.run(program, path, shell: #"cp -f "$1" "$2""#)
      try #require(copied.status == 0, "\(copied)")
    }

    func record(
      _ arguments: String..., input: String = "", environment: [String: String] = [:],
      shell: String = #"exec "$optrace" record "$@""#
    ) throws -> Command.Result {
      try Command.run(
        arguments: [folder.folder.path] + arguments, input: Array(input.utf8), environment: environment,
        shell: Self.enter + shell)
    }

    /// The names of the files, with numbers replaced by N.
    var names: [String] {
      get throws { try folder.names.map { $0.replacing(/\d+/, with: "N") } }
    }

    func trace(_ name: String) throws -> Trace { try TraceReader.read(path: folder.path(name), unpacking: .packed()) }

    /// The line about a trace, the doctor's answer, and the suggested commands.
    static func report(_ file: String, operations: Int = 10, queues: Int = 1) throws -> String {
      "optrace: \(operations) operations on \(queues) queue\(queues == 1 ? "" : "s") in '\(file)'\n"
        + answer(operations) + (try hints(file))
    }

    /// The doctor's answer about a healthy program.
    static func answer(_ operations: Int = 10) -> String {
      "optrace: No deadlock, stall or misuse found in \(operations) operations.\n"
    }

    /// The suggested commands for a trace.
    static func hints(_ file: String) throws -> String {
      let optrace = try Command.executable.path
      let stem = file.hasSuffix(".optrace") ? String(file.dropLast(8)) : file
      return """
          \(optrace) summary \(file)
          \(optrace) doctor \(file)
          \(optrace) view \(file)
          \(optrace) report \(file) -o \(stem).html
          \(optrace) graph \(file) -o \(stem).svg
          \(optrace) timeline \(file) -o \(stem).json

        """
    }
  }
#endif
