import Foundation
import TestSupport
import Testing

@testable import OpTraceSymbols

/// Compilers and other tools of the system that these tests use. Nil if missing.
enum Tool {
  static let clang = find("clang")
  static let swiftc = find("swiftc")
  static let objcopy = find("objcopy") ?? find("llvm-objcopy")
  static let symbolizer = InlinedFrames.findTool().map { URL(fileURLWithPath: $0) }
  static let hasCompilers = clang != nil && swiftc != nil

  private static func find(_ name: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { URL(fileURLWithPath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}

struct CompilerFailed: Error, CustomStringConvertible {
  var description: String
}

/// Programs that are compiled once for all tests. Callers need the trait `.ownThread`.
enum Programs {
  /// A C program with line tables of this version of DWARF.
  static func c(dwarf version: Int) throws -> String { try (versions[version - 2]).get() }
  static let swiftOptimized = compiled("optimized", Tool.swiftc, ["-O", "-dwarf-version=5"] + swiftFlags)
  static let swiftDebug = compiled("debug", Tool.swiftc, ["-Onone", "-dwarf-version=4"] + swiftFlags)

  /// Small enough to try all kinds of damage: no library and no C runtime.
  static let tiny = compiled(
    "tiny", Tool.clang,
    ["-gdwarf-5", "-O1", "-nostdlib", "-static", "-Wl,--build-id,-e,first,-z,max-page-size=64", "program.c"])

  /// Functions that the optimiser merges, the linker folds (`--icf=all`), or both. The last one has frame pointers, as
  /// with SwiftPM.
  static let merged = compiled("merged", Tool.swiftc, ["-O"] + mergedFlags)
  static let folded = compiled("folded", Tool.swiftc, ["-Onone"] + foldedFlags + mergedFlags)
  static let mergedAndFolded = compiled(
    "both", Tool.swiftc, ["-O", "-Xcc", "-fno-omit-frame-pointer"] + foldedFlags + mergedFlags)

  /// Async functions of a class and of an actor.
  static let awaitingOptimized = compiled("awaiting", Tool.swiftc, ["-O"] + awaitingFlags)
  static let awaitingDebug = compiled("awaiting-debug", Tool.swiftc, ["-Onone"] + awaitingFlags)

  /// The processors whose code the symbolicator reads.
  enum Processor: String, CaseIterable {
    case x86 = "x86_64", arm = "aarch64"
    #if arch(arm64)
      static let own = arm
    #else
      static let own = x86
    #endif
  }

  /// A C program whose functions have mangled Swift names, some at the same address. It is never run.
  static func shared(_ processor: Processor) throws -> String {
    try (processor == .x86 ? sharedOnX86 : sharedOnArm).get()
  }
  private static let sharedOnX86 = sharedCode(.x86)
  private static let sharedOnArm = sharedCode(.arm)

  private static func sharedCode(_ processor: Processor) -> Result<String, any Error> {
    compiled(
      "shared-\(processor.rawValue)", Tool.clang,
      [
        "--target=\(processor.rawValue)-unknown-linux-gnu", "-gdwarf-5", "-O1", "-nostdlib", "-static", "-fuse-ld=lld",
        "-Wl,--build-id,-e,first,-z,max-page-size=64", "shared.c",
      ])
  }

  private static let versions = (2...5).map {
    compiled("c\($0)", Tool.clang, ["-gdwarf-\($0)", "-O1", "-Wl,--build-id", "program.c"])
  }

  private static let swiftFlags = ["-g", "-parse-as-library", "-module-name", "app", "program.swift"]
  private static let awaitingFlags = ["-g", "-parse-as-library", "-module-name", "app", "awaiting.swift"]
  private static let mergedFlags = ["-g", "-parse-as-library", "-module-name", "app", "merged.swift"]
  private static let foldedFlags = ["-use-ld=lld", "-Xfrontend", "-function-sections", "-Xlinker", "--icf=all"]

  /// The folder is removed when the process ends.
  private static let scratch = Result {
    let scratch = try Scratch()
    try scratch.write("program.c", Array(cSource.utf8))
    try scratch.write("program.swift", Array(swiftSource.utf8))
    try scratch.write("awaiting.swift", Array(awaitingSource.utf8))
    try scratch.write("merged.swift", Array(mergedSource.utf8))
    try scratch.write("shared.c", Array(sharedSource.utf8))
    return scratch
  }

  private static func compiled(_ name: String, _ compiler: URL?, _ arguments: [String]) -> Result<String, any Error> {
    Result {
      guard let compiler else { throw CompilerFailed(description: "no compiler for \(name)") }
      let folder = try scratch.get()
      let result = try RunningProgram.run(
        compiler, ["-o", folder.path(name)] + arguments, in: folder.folder, errorsToOutput: true)
      guard result.status == 0 else { throw CompilerFailed(description: "\(name): \(result.output)") }
      return folder.path(name)
    }
  }

  static func run(_ tool: URL?, _ arguments: [String]) throws {
    guard let tool else { throw CompilerFailed(description: "a tool is missing") }
    let result = try RunningProgram.run(tool, arguments, errorsToOutput: true)
    guard result.status == 0 else { throw CompilerFailed(description: "\(tool.path) \(arguments): \(result.output)") }
  }

  private static let cSource = """
    volatile int sink;
    static inline __attribute__((always_inline)) int twice(int value) {
      sink = value;
      return value * 2;
    }
    __attribute__((noinline)) static int second(int value) {
      int sum = 0;
      for (int i = 0; i < value; i++) {
        sum += twice(i);
        if (sum > 100)
          sink = sum;
      }
      return sum;
    }
    __attribute__((noinline)) int third(int value) {
      switch (value) {
      case 1: return second(3);
      case 2: return second(value) + twice(value);
      default: sink = 3;
      }
      return second(value + 1);
    }
    void first(void) {
      sink = third(sink);
      sink = second(sink);
    }
    int main(void) {
      first();
      return 0;
    }
    """

  static let awaitingSource = """
    @inline(never) func pause() async {
      await withCheckedContinuation { $0.resume() }
    }
    @inline(never) func value() async throws -> Int { 3 }
    final class Loader {
      var sum = 0
      @inline(never) func load(_ count: Int) async throws -> Int {
        print("a")
        await pause()
        let one = try await value()
        sum += one
        return await withCheckedContinuation { $0.resume(returning: one) }
      }
    }
    actor Cache {
      var sum = 0
      @inline(never) func load(_ count: Int) async throws -> Int {
        sum += count
        let one = try await value()
        sum += one
        return await withCheckedContinuation { $0.resume(returning: one + self.sum) }
      }
    }
    @main struct Main {
      static func main() async throws {
        print(try await Loader().load(3), try await Cache().load(4))
      }
    }
    """

  private static let swiftSource = """
    protocol Runner { func run(_ count: Int) async throws -> Int }
    final class Loader: Runner, @unchecked Sendable {
      var users: [String: [Int]] = [:]
      func run(_ count: Int) async throws -> Int {
        async let one = other(count, by: 2)
        let sum = await withTaskGroup(of: Int.self) { group in
          for index in 0..<count { group.addTask { await self.plain(index) } }
          return await group.reduce(0, +)
        }
        return try await one + sum
      }
      func other(_ count: Int, by factor: Int) async throws -> Int { await Task.yield(); return count * factor }
      func plain(_ index: Int) async -> Int { users["\\(index)"]?.count ?? index }
      func closures(_ body: @escaping (Int) -> Void) -> () -> Void {
        { for index in 0..<3 { body(index) } }
      }
      func generic<Items: Collection>(_ items: Items) -> [Int] where Items.Element: Hashable {
        items.map { $0.hashValue }.filter { $0 % 2 == 0 }.sorted()
      }
      @inline(never) func inlines(_ count: Int) -> Int {
        var sum = 0
        for index in 0..<count { sum += twice(index) }
        return sum
      }
      @inline(__always) private func twice(_ value: Int) -> Int {
        if value % 7 == 3 { print(value) }
        return value &* 2
      }
    }
    struct Box<Value> {
      var value: Value
      func map<Other>(_ change: (Value) -> Other) -> Box<Other> { Box<Other>(value: change(value)) }
    }
    @main struct Main {
      static func main() async throws {
        let loader = Loader()
        loader.users = ["1": [1, 2], "2": []]
        print(try await loader.run(3), loader.generic(["a", "b"]), loader.inlines(CommandLine.arguments.count * 20))
        loader.closures { print($0) }()
        print(Box(value: 3).map { "\\($0)" }.value)
      }
    }
    """
}

extension Symbolicator {
  /// Addresses in the code, as they are.
  func symbolicate(_ offsets: [UInt64], of path: String, buildID: [UInt8]? = nil) -> Symbolication {
    symbolicate(
      offsets.map { CodeAddress(module: 0, offset: $0, isReturnAddress: false) },
      in: [CodeModule(path: path, buildID: buildID)])
  }
}

/// A section's addresses.
func code(of path: String, section name: String = ".text") throws -> Range<UInt64> {
  let image = try ElfImage(path: path)
  guard let section = image.sections.first(where: { $0.name == name }) else { return 0..<0 }
  return section.address..<section.address + section.size
}
