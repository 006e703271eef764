#if os(Linux)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  /// The tests' programs. Each is compiled only once in this process.
  enum CompiledPrograms {
    private final class Program: Sendable {
      private let made = Mutex<Result<String, any Error>?>(nil)

      /// Later callers wait for the first one to compile it.
      func path(_ make: () throws -> String) throws -> String {
        try made.withLock { made in
          let result = made ?? Result(catching: make)
          made = result
          return try result.get()
        }
      }
    }

    private static let programs = Mutex<[[String]: Program]>([:])
    private static let scratch: Result<Scratch, any Error> = {
      atexit { if case .success(let scratch) = scratch { try? FileManager.default.removeItem(at: scratch.folder) } }
      return Result { try Scratch() }
    }()

    /// The path of the compiled program. Its sources are in a folder of the tests. Its module has the name of the file.
    static func path(_ program: String, as name: String, _ options: String) throws -> String {
      let wanted = programs.withLock { programs in
        let wanted = programs[[program, name, options]] ?? Program()
        programs[[program, name, options]] = wanted
        return wanted
      }
      return try wanted.path { try compile(program, as: name, options) }
    }

    private static func compile(_ program: String, as name: String, _ options: String) throws -> String {
      let source = RecordFolder.sources.appendingPathComponent(program)
      let folder = try scratch.get().file(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let made = folder.appendingPathComponent(name).path
      let hasMain = FileManager.default.fileExists(atPath: source.appendingPathComponent("main.swift").path)
      let result = try Command.run(
        source.path, made,
        shell: "swiftc -swift-version 6 -O -g \(hasMain ? "" : "-parse-as-library") \(options) \"$1\"/*.swift -o \"$2\""
      )
      try #require(result.status == 0, "\(result)")
      return made
    }
  }
#endif
