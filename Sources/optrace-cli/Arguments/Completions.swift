import ArgumentParser
import Foundation
import OpTraceFormat
import OpTraceModel

/// Completions for the shell that the parser's own scripts lack.
enum Completions {
  /// Completions for `record`: first the program, found like a shell does, and then the program's files.
  ///
  /// - Parameters:
  ///   - words: the words of the line, from the command's name on.
  ///   - index: the index of the word to complete.
  ///   - prefix: the typed part of that word.
  @Sendable
  static func recorded(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let typed = index < words.count && prefix.isEmpty ? words[index] : prefix
    guard index <= program(in: words), !typed.contains("/") else { return files(typed) }
    return Array(Set(programs(typed) + files(typed))).sorted()
  }

  /// The index of the program's name: after `record`, its options and their values.
  private static func program(in words: [String]) -> Int {
    let withValue = [
      "-o", "--output", "--flight-recorder", "--stacks", "--runs", "--fail-on", "--stall-timeout", "--annotations",
      "--report", "--keep-when", "--keep-files", "--keep-bytes",
    ]
    var index = (words.firstIndex(of: "record") ?? 0) + 1
    while index < words.count, words[index].hasPrefix("-") {
      if words[index] == "--" { return index + 1 }
      index += withValue.contains(words[index]) ? 2 : 1
    }
    return index
  }

  private static func programs(_ prefix: String) -> [String] {
    RawPath.programFolders.flatMap { folder in
      names(in: folder, prefix).filter { name in
        access("\(folder)/\(name)".asPath, X_OK) == 0 && !isFolder("\(folder)/\(name)")
      }
    }
  }

  private static func files(_ prefix: String) -> [String] {
    guard let end = prefix.lastIndex(of: "/") else { return names(in: ".", prefix) }
    let folder = String(prefix[...end])
    return names(in: folder, String(prefix[prefix.index(after: end)...])).map { folder + $0 }
  }

  /// The names in a folder; hidden files only if the prefix asks for them.
  private static func names(in folder: String, _ prefix: String) -> [String] {
    namesInFolder(folder).filter {
      $0.hasPrefix(prefix) && (prefix.hasPrefix(".") || !$0.hasPrefix(".")) && !$0.contains(where: \.isNewline)
    }
  }

  /// The parser's script for bash, zsh or fish, extended so that `help` completes the commands, which the parser does
  /// not support. Any other text is returned unchanged.
  static func completed(_ text: String, of commands: [any ParsableCommand.Type]) -> String {
    // Key paths into the configurations of any command crash the compiler (6.3.1).
    let configurations = commands.map { $0.configuration }
    let names = configurations.filter { $0.shouldDisplay }.compactMap { $0.commandName }.joined(separator: " ")
    let insertions = [
      (
        "_optrace_help() {\n    repeating_flags=()\n    non_repeating_flags=(--version)\n    repeating_options=()\n"
          + "    non_repeating_options=()\n    __optrace_offer_flags_options -1\n",
        "    __optrace_add_completions -W '\(names.replacing(" ", with: "'$'\\n''"))'\n"
      ),
      ("        '*:subcommands:", "(\(names))"),
      (
        "complete -c 'optrace' -n '__optrace_should_offer_completions_for_flags_or_options \"optrace help\" version' "
          + "-l 'version' -d 'Show the version.'",
        "\ncomplete -c 'optrace' -n '__optrace_should_offer_completions_for_positional \"optrace help\" -eq 1' "
          + "-fka '\(names)'"
      ),
    ]
    guard let (marker, addition) = insertions.first(where: { text.contains($0.0) }) else { return text }
    return text.replacing(marker, with: marker + addition)
  }
}
