import OpTrace

/// `--memory`, `--memory=64K` and `--memory 64K`: the size may be left out, which the parser of arguments does not know of an option.
enum MemoryArgument {
  static let usual = "512K"
  /// Of what stands before the program's name, options that take no value.
  static let flags: Set<String> = [
    "--dispatch", "--tasks", "--cpu", "--profile", "--all", "--open", "-h", "--help", "--version",
  ]

  /// The arguments of the whole command, with a size at `--memory`. What follows the program's name stays as it is.
  static func completed(_ arguments: [String]) -> [String] {
    guard arguments.first == "record" else { return arguments }
    var result = arguments
    var index = 1
    while index < result.count, result[index].hasPrefix("-"), result[index] != "--" {
      guard result[index] == "--memory" else {
        let hasValue = !result[index].contains("=") && !flags.contains(result[index])
        index += hasValue ? 2 : 1
        continue
      }
      if index + 1 < result.count, isSize(result[index + 1]) {
        result[index] += "=" + result.remove(at: index + 1)
      } else {
        result[index] += "=" + usual
      }
      index += 1
    }
    return result
  }

  /// A program may be called `1`, but not `64K`.
  private static func isSize(_ text: String) -> Bool {
    text.wholeMatch(of: /[0-9]+([KkMmGg][Bb]?|[Bb])?/) != nil
  }

  /// One byte in so many; nil: the text is no such size.
  static func interval(_ text: String) -> Int? {
    guard let bytes = TraceRecorder.bytes(text), bytes < 1 << 40 else { return nil }
    return bytes
  }
}
