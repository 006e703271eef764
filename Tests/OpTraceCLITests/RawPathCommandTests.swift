#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// On Linux a file name is any sequence of bytes.
  @Suite("File names that are not UTF-8", .ownThread)
  struct RawPathCommandTests {
    private let folder: Scratch

    init() throws {
      folder = try Scratch()
      try folder.write("small.txt", Array(Fixture.small.utf8))
    }

    /// Runs a script in a folder with such a name. The trace is `$raw.txt`.
    private func run(_ script: String) throws -> Command.Result {
      try Command.run(
        folder.folder.path,
        shell: #"""
          raw=$(printf 'a\377b\200'); cd "$1" && mkdir "$raw" && mv small.txt "$raw/$raw.txt" && cd "$raw" || exit
          \#(script)
          """#)
    }

    @Test("traces with such names are read; messages replace the invalid bytes") func reading() throws {
      let result = try run(
        #""$optrace" validate "$raw.txt" && "$optrace" validate "../$raw/$raw.txt"; "$optrace" summary "$raw""#)
      #expect(result.output.matches(of: /ok: \d+ events\n/).count == 2)
      #expect(
        result.errors
          == "optrace: cannot read 'a\u{FFFD}b\u{FFFD}': no such file; did you mean 'a\u{FFFD}b\u{FFFD}.txt'?\n"
          && result.status == 66)
    }

    @Test("files with such names are written, named with -o or after the trace") func writing() throws {
      let result = try run(
        #"""
        "$optrace" dump "$raw.txt" -o "$raw.out"; test -s "$raw.out" || echo none
        "$optrace" timeline "$raw.txt" -o "$PWD/$raw.json" && test -s "$raw.json" || echo none
        "$optrace" pack "$raw.txt" && test -s "$raw.optracez" || echo none
        "$optrace" timeline "$raw.txt" -o "$raw.txt" --format json
        ln -s "$raw.json" link && "$optrace" timeline "$raw.txt" -o link --format json && test -L link || echo none
        ls | wc -l
        """#)
      #expect(result.output.hasSuffix("\n5\n") && !result.output.contains("none"), "\(result.output)")
      #expect(result.errors == "optrace: 'a\u{FFFD}b\u{FFFD}.txt' is the trace itself: name another file with -o\n")
    }

    @Test("a missing file with a short name gives status 66") func shortNames() throws {
      for name in ["x", "é", "x/", "."] {
        let result = try Command.run("diff", name, name)
        #expect(result.status == 66, "\(name): \(result)")
      }
    }

    @Test("a suggested command quotes such a name for the shell") func suggestions() throws {
      let result = try run(
        #"""
        "$optrace" "$raw.txt" 2> hint; cat hint >&2
        words=$(sed 's/.* view //' hint); test "$(bash -c "printf %s $words")" = "$raw.txt" && echo same
        """#)
      #expect(result.output == "same\n")
      #expect(result.errors.hasSuffix(" view $'a\\377b\\200.txt'\n"))
    }

    @Test("a demo writes into such a folder") func demo() throws {
      let result = try run(
        #""$optrace" demo diamond -o "$raw" && ls "$raw" && "$optrace" validate "$raw/diamond.optrace""#)
      #expect(result.status == 0 && result.errors == "")
      #expect(result.output.contains("diamond.json\ndiamond.optrace\ndiamond.svg\nok: "), "\(result.output)")
    }

    @Test("record accepts programs, traces and folders with such names") func recording() throws {
      let result = try Command.run(
        folder.folder.path, try RecordFolder.program,
        shell: #"""
          raw=$(printf 'a\377b'); cd "$1" && printf '#!/bin/sh\necho "$0" | od -c -An\n' > "$raw.sh"
          chmod +x "$raw.sh"
          "$optrace" record -- "./$raw.sh" 2>/dev/null; PATH=.:$PATH "$optrace" record "$raw.sh" 2>/dev/null
          "$optrace" record "./none$raw"; echo $?
          "$optrace" record -o "$raw.optrace" -- "$2" work 2>/dev/null; test -s "$raw.optrace" && echo recorded
          mkdir "$raw"; cd "$raw"; "$optrace" record -o run.optrace -- "$2" work 2>/dev/null
          "$optrace" validate run.optrace
          """#)
      #expect(result.output.contains("377"))
      #expect(result.output.contains("127\nworked\nrecorded\nworked\nok: "), "\(result.output)")
      #expect(result.errors == "optrace: cannot run './nonea\u{FFFD}b': no such file\n")
    }
  }
#endif
