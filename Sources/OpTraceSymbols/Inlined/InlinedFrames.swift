#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
internal import OpTraceProcesses

/// Asks `llvm-symbolizer` which functions were inlined at addresses. One process is asked for all modules.
enum InlinedFrames {
  /// As the tool says it; nil: it does not know.
  struct Frame: Equatable {
    var mangled: String?
    var file: String?
    var line: Int?
    var column: Int?
  }

  struct Question {
    var path: String
    var address: UInt64
  }

  /// Beside `swiftc` first, whose DWARF it knows; then in `PATH`.
  static func findTool() -> String? {
    let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") }
    let toolchains = folders.filter { isProgram("\($0)/swiftc") }.flatMap { folder -> [String] in
      // Often a link into the toolchain.
      guard let target = realpath("\(folder)/swiftc", nil) else { return [folder] }
      defer { free(target) }
      let path = String(cString: target)
      return [folder, String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])]
    }
    return (toolchains + folders).lazy.map { "\($0)/llvm-symbolizer" }.first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// For each question its frames, innermost first; fewer answers where the tool ended early.
  static func ask(
    _ tool: String, _ questions: [Question], seconds: Int
  ) -> (answers: [[Frame]], outcome: InliningOutcome) {
    let lines = questions.map { "\"\($0.path)\" 0x\(String($0.address, radix: 16))\n" }
    do throws(ToolProcess.CannotRun) {
      let (output, ending) = try ToolProcess.run(
        tool, ["--no-demangle", "--inlines", "--functions=linkage", "--output-style=LLVM"],
        input: Array(lines.joined().utf8), seconds: seconds, mostOutput: min(questions.count, 1 << 16) << 14)
      var answers = answers(output, most: questions.count)
      switch ending {
      case .stopped:
        // The last one may be cut off.
        if !answers.isEmpty { answers.removeLast() }
        return (answers, .late(tool, seconds: seconds))
      case .ended(.exited(0)) where answers.count == questions.count: return (answers, .done(tool))
      case .ended(.exited(0)):
        return ([], .failed(tool, "gave \(answers.count) answers to \(questions.count) questions"))
      case .ended(.exited(let status)): return ([], .failed(tool, "ended with status \(status)"))
      case .ended(.killed(let signal)): return ([], .failed(tool, "was ended by signal \(signal)"))
      }
    } catch {
      return ([], .failed(tool, "cannot be run: \(error.reason)"))
    }
  }

  /// Two lines for each frame, the function and its source location, and an empty line after each answer.
  static func answers(_ output: [UInt8], most: Int) -> [[Frame]] {
    var answers: [[Frame]] = []
    var frames: [Frame] = []
    var function: Substring?
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      guard answers.count < most else { break }
      if line.isEmpty, function == nil {
        if !frames.isEmpty { answers.append(frames) }
        frames = []
      } else if let name = function {
        frames.append(frame(name, line))
        function = nil
      } else {
        function = line
      }
    }
    return answers
  }

  private static func frame(_ name: Substring, _ location: Substring) -> Frame {
    var frame = Frame(mangled: name == "??" || name.isEmpty ? nil : String(name))
    let parts = location.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 3, let line = Int(parts[parts.count - 2]), let column = Int(parts[parts.count - 1]) else {
      return frame
    }
    let file = parts.dropLast(2).joined(separator: ":")
    if file != "??", !LineFiles.isNoFile(file) { frame.file = file }
    if line > 0 { frame.line = line }
    if column > 0 { frame.column = column }
    return frame
  }
}
