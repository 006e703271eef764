import Foundation
import TestSupport
import Testing

@Suite("Shell completion", .ownThread)
struct CompletionTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try folder.write("run.optrace", [])
    try folder.write("my program.txt", [])
    let tool = try folder.write("tool-of-mine", Array("#!/bin/sh\n".utf8))
    chmod(tool, 0o755)
  }

  /// The completions of the last word in bash. The test's folder is the current one, and the only one in `PATH`.
  private func offered(_ words: String...) throws -> Set<String> { try offered(words) }

  private func offered(_ words: [String]) throws -> Set<String> {
    let result = try Command.run(
      arguments: [folder.folder.path] + words,
      shell: #"""
        cd "$1" && shift
        "$optrace" --generate-completion-script bash > .script
        exec bash --norc -c '
          source .script; rm .script
          COMP_WORDS=("$@"); COMP_WORDS[0]=$optrace; COMP_CWORD=$(($# - 1))
          COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
          PATH=$PWD
          _optrace optrace "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$COMP_CWORD - 1]}"
          printf "%s\n" "${COMPREPLY[@]}"' bash optrace "$@"
        """#)
    #expect(result.errors == "")
    return Set(result.output.split(separator: "\n").map(String.init))
  }

  @Test("commands complete, also after `help`") func commands() throws {
    #expect(try offered("").isSuperset(of: ["demo", "view", "record", "help"]))
    let help = try offered("help", "")
    #expect(help.isSuperset(of: UsageTests.commands) && help.isDisjoint(with: ["demo-program", "run.optrace"]))
    #expect(try offered("help", "su") == ["summary"])
  }

  @Test("values of options complete") func values() throws {
    #expect(try offered("graph", "run.optrace", "--format", "").isSuperset(of: ["svg", "png", "pdf", "dot"]))
    #expect(try offered("graph", "--group-by", "") == ["queue", "class"])
    #expect(try offered("dump", "--format", "b") == ["binary"])
    #expect(try offered("timeline", "--format", "").contains("perfetto.gz"))
    #expect(try offered("doctor", "--explain", "wait-") == ["wait-cycle"])
    #expect(try offered("demo", "").contains("photo-import"))
    #expect(try offered("summary", "") == ["run.optrace", "my program.txt"])
    #expect(try offered("summary", "--js") == ["--json"])
  }

  @Test("`record` completes programs, and files after the program") func programs() throws {
    for words in [["record"], ["record", "--"], ["record", "-o", "x.optrace", "--open", "--"]] {
      #expect(try offered(words + ["tool-"]) == ["tool-of-mine"], "\(words)")
    }
    #expect(try offered("record", "--", "./too") == ["./tool-of-mine"])
    #expect(try offered("record", "--", "tool-of-mine", "my") == ["my program.txt"])
    #expect(try offered("record", "--fl") == ["--flight-recorder"])
  }

  /// These shells may be missing, so only their scripts are checked.
  @Test("the scripts for zsh and fish complete all commands after `help`") func others() throws {
    func script(_ shell: String) throws -> String { try Command.run("--generate-completion-script", shell).output }
    let zsh = try #require(try script("zsh").firstMatch(of: /'\*:subcommands:\(([a-z ]+)\)'/)?.1)
    let fish = try #require(try script("fish").firstMatch(of: /"optrace help" -eq 1' -fka '([a-z ]+)'/)?.1)
    for list in [zsh, fish] { #expect(Set(list.split(separator: " ").map(String.init)) == Set(UsageTests.commands)) }
  }
}
