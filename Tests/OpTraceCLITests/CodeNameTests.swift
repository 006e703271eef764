#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceModel
  import TestSupport
  import Testing

  /// In every output an operation without a name is named after the code that it runs.
  @Suite("Names from the code", .ownThread) struct CodeNameTests {
    private let folder: RecordFolder
    private let file = "run.optrace"

    init() throws { folder = try RecordFolder() }

    private func record(_ program: String? = nil) throws -> Trace {
      let result = try folder.record("-o", file, "--", try program ?? RecordFolder.program, "blocks")
      #expect(result.status == 0, "\(result.errors)")
      return try folder.trace(file)
    }

    private func run(_ arguments: String...) throws -> Command.Result {
      try Command.run(
        arguments: [folder.folder.folder.path] + arguments, shell: RecordFolder.enter + #"exec "$optrace" "$@""#)
    }

    private static let kinds = [
      "closure #1 in loadUsers(_:then:)", "closure #1 in resizeAll(_:)", "closure #2 in resizeAll(_:)", "Importing",
      "closure #2 in blocks()",
    ]

    @Test("an operation has its closure's name, file, line and module; names given by the program stay")
    func names() throws {
      let trace = try record()
      #expect(TraceValidator.check(try TraceReader.events(path: folder.folder.path(file))).isEmpty)
      #expect(trace.loss.isComplete)
      #expect(
        trace.operations.map(\.title) == [
          Self.kinds[0], Self.kinds[1], Self.kinds[1], Self.kinds[1], "the last one", "Importing", Self.kinds[4],
        ])
      #expect(Set(trace.operations.map(\.kind)) == Set(Self.kinds))
      let source = try String(
        contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
          .appendingPathComponent("RecordTestProgram/main.swift"), encoding: .utf8
      ).split(separator: "\n", omittingEmptySubsequences: false)
      for operation in trace.operations where operation.className == "BlockOperation" {
        let place = operation.codeLocation
        #expect(place.module == "RecordTestProgram" && place.file?.hasSuffix("RecordTestProgram/main.swift") == true)
        let line = try #require(place.line)
        #expect(source[line - 1].contains("{ usleep("), "line \(line)")
      }
      #expect(trace.operations[5].codeLocation == CodeLocation(module: "RecordTestProgram"))
    }

    @Test("`--stacks all` records which function created an operation that another function adds")
    func makers() throws {
      for (stacks, isReported) in [("all", true), ("waits", false)] {
        let result = try folder.record("--stacks", stacks, "-o", file, "--", try RecordFolder.program, "blocks")
        #expect(result.status == 0, "\(result.errors)")
        let trace = try folder.trace(file)
        let made = trace.operations.map { trace.stacks.creationSite(of: $0)?.function }
        let own = ["loadUsers(_:then:)", "resizeAll(_:)"]
        let lines = Set(trace.operations.compactMap { trace.stacks.creationSite(of: $0)?.line })
        #expect(lines.count == (isReported ? 3 : 0))
        // The queue itself creates the operation for a closure of `addOperation`.
        let expected = [own[0], nil, nil, nil, own[1], "blocks()", nil]
        #expect(made == (isReported ? expected : expected.map { _ in nil }))
        #expect(trace.operations.allSatisfy { $0.addedAt != nil })
      }
    }

    @Test("all outputs show names from the code, group by them, and find them") func outputs() throws {
      _ = try record()
      let summary = try run("summary", file)
      for kind in Self.kinds { #expect(summary.output.contains("  \(kind)  "), "\(kind)") }
      #expect(!summary.output.contains("  BlockOperation       "))
      let json = try run("summary", "--json", file).output
      #expect(json.contains("\"function\": \"closure #1 in loadUsers(_:then:)\""))
      #expect(json.contains("RecordTestProgram/main.swift\",\n      \"line\": "))
      #expect(json.contains("\"module\": \"RecordTestProgram\""))
      #expect(try run("graph", file, "-o", "-").output.contains("closure #1 in resizeAll(_:)"))
      #expect(try run("report", file, "-o", "-").output.contains("closure #1 in resizeAll(_:)"))
      let part = try run("timeline", "--class", "closure #2 in resizeAll(_:)", file, "-o", "-")
      #expect(part.status == 0 && part.output.contains("the last one"))
      #expect(!part.output.contains("closure #1 in resizeAll"))
      let wrong = try run("timeline", "--class", "closure #3 in resizeAll(_:)", file, "-o", "-")
      #expect(wrong.status == 64 && wrong.errors.contains("did you mean 'closure #1 in resizeAll(_:)'"))
      let packed = try run("pack", "--anonymize", file, "-o", "small.optracez")
      #expect(packed.status == 0)
      let dump = try run("dump", "small.optracez", "-o", "-").output
      #expect(dump.contains("symbol ") && !dump.contains("resizeAll") && !dump.contains("RecordTestProgram"))
    }

    @Test("a killed program's trace has names") func killed() throws {
      let result = try folder.record(
        "-o", file, "--", try RecordFolder.program, "blocks", "die")
      #expect(result.status == 128 + SIGKILL)
      let trace = try folder.trace(file)
      #expect(!trace.header.isClosed && trace.loss.isComplete)
      #expect(trace.operations.first?.title == Self.kinds[0])
    }

    @Test("without symbols an operation is named by class, file and offset of its code") func stripped() throws {
      let program = folder.folder.path("plain")
      let strip = try Command.run(try RecordFolder.program, program, shell: #"strip -o "$2" "$1" || cp "$1" "$2""#)
      try #require(strip.status == 0)
      let trace = try record(program)
      let kinds = trace.operations.filter { $0.className == "BlockOperation" }.map(\.kind)
      for kind in kinds {
        #expect(kind.wholeMatch(of: /BlockOperation at plain\+0x[0-9a-f]+/) != nil, "\(kind)")
      }
      #expect(Set(kinds).count == 3 && trace.operations[0].title == "BlockOperation")
      let again = try run("symbolicate", file)
      #expect(again.status == 0 && again.errors.contains("/plain is stripped: keep a debug file beside it"))
    }

    @Test("symbolicate adds names, can run again, and refuses packed, missing and empty traces")
    func symbolicate() throws {
      _ = try record()
      let before = try folder.trace(file)
      let words = /'run\.optrace': \d+ addresses of the program's code, \d+ with a name, \d+ with a line\n/
      for _ in 0..<2 {
        let result = try run("symbolicate", file)
        #expect(result.status == 0 && result.output.wholeMatch(of: words) != nil, "\(result)")
        let after = try folder.trace(file)
        #expect(after.operations == before.operations && after.stacks == before.stacks && after.loss.isComplete)
      }
      _ = try run("pack", file, "-o", "run.optracez")
      #expect(
        try run("symbolicate", "run.optracez")
          == .init(
            status: 65, output: "",
            errors: "optrace: 'run.optracez' is packed or a text: put names into the trace that it was made of\n"))
      #expect(try run("symbolicate", "none.optrace").status == 66)
      try folder.folder.write("empty.optrace", [])
      #expect(try run("symbolicate", "empty.optrace").status == 65)
    }

    /// A trace without names: its `record` was killed before the program ran.
    private func recordWithoutNames() throws -> [UInt8] {
      let killed = try Command.run(
        arguments: [folder.folder.folder.path, try RecordFolder.program],
        shell: RecordFolder.enter + """
          export TMPDIR="$PWD"
          "$optrace" record -o \(file) -- sh -c 'kill -KILL $PPID; "$0" blocks; : > ended' "$1"
          round=0
          until [ -e ended ] || [ $round -ge 3000 ]; do sleep 0.1; round=$((round + 1)); done
          mv run.[0-9]*.optrace \(file)
          """)
      #expect(killed.status == 0, "\(killed)")
      #expect(try !folder.trace(file).stacks.hasNames)
      return Array(try Data(contentsOf: folder.folder.file(file)))
    }

    @Test("pack adds names to the packed file if the trace has none") func pack() throws {
      let bytes = try recordWithoutNames()
      let words =
        /optrace: note: 'run\.optrace': \d+ addresses of the program's code, [1-9]\d* with a name, [1-9]\d* with a line\n/
      let packed = try run("pack", file)
      #expect(packed.status == 0 && packed.errors.wholeMatch(of: words) != nil, "\(packed)")
      #expect(Array(try Data(contentsOf: folder.folder.file(file))) == bytes, "the trace itself stays")
      let (before, after) = (try folder.trace(file), try folder.trace("run.optracez"))
      #expect(after.operations.map(\.title).first == Self.kinds[0] && after.stacks.hasNames)
      #expect(Set(after.operations.map(\.kind)) == Set(Self.kinds))
      #expect(after.waits == before.waits && after.loss == before.loss && after.header == before.header)
      // The names survive unpacking.
      #expect(try run("unpack", "run.optracez", "-o", "back.optrace").status == 0)
      #expect(try run("validate", "back.optrace").status == 0)
      let back = try folder.trace("back.optrace")
      #expect(back.operations == after.operations && back.stacks == after.stacks)
      // The unpacked file equals the result of 'symbolicate'.
      #expect(try run("symbolicate", file).status == 0)
      let symbolicated = try Data(contentsOf: folder.folder.file(file))
      #expect(try Data(contentsOf: folder.folder.file("back.optrace")) == symbolicated)
      // A trace with names is packed unchanged, even if it is packed already.
      for name in [file, "run.optracez"] {
        let again = try run("pack", name, "-o", "again.optracez")
        #expect(again.status == 0 && again.errors == "", "\(again)")
        #expect(try run("unpack", "again.optracez", "-o", "again.optrace").status == 0)
        #expect(try Data(contentsOf: folder.folder.file("again.optrace")) == symbolicated)
      }
    }

    @Test("pack adds no names with --no-symbols or --anonymize") func packWithoutNames() throws {
      let bytes = try recordWithoutNames()
      for (arguments, shell) in [
        (["--no-symbols"], #""$optrace" pack --no-symbols "$1" -o small.optracez"#),
        (["-"], #""$optrace" pack --no-symbols - -o small.optracez <"$1""#),
      ] {
        let packed = try Command.run(arguments: [folder.folder.folder.path, file], shell: RecordFolder.enter + shell)
        #expect(packed.status == 0 && packed.errors == "", "\(arguments) \(packed)")
        #expect(try run("unpack", "small.optracez", "-o", "back.optrace").status == 0)
        #expect(Array(try Data(contentsOf: folder.folder.file("back.optrace"))) == bytes, "\(arguments)")
      }
      #expect(try run("pack", "--anonymize", file, "-o", "small.optracez").errors == "")
      #expect(try !folder.trace("small.optracez").stacks.hasNames)
      // Without these options a trace from a pipe gets names, too.
      let piped = try Command.run(
        arguments: [folder.folder.folder.path, file],
        shell: RecordFolder.enter + #"cat "$1" | "$optrace" pack - -o small.optracez"#)
      #expect(piped.status == 0 && piped.errors.hasPrefix("optrace: note: standard input: "), "\(piped)")
      #expect(try folder.trace("small.optracez").stacks.hasNames)
    }

    @Test("pack adds names to the trace of a program that recorded itself") func packOfItsOwn() throws {
      #expect(try run("demo", "diamond", "-o", ".").status == 0)
      let trace = try folder.trace("diamond.optrace")
      try #require(!trace.stacks.hasNames && !trace.stacks.addresses.isEmpty)
      let packed = try run("pack", "diamond.optrace")
      #expect(packed.status == 0 && packed.errors.contains(" addresses of the program's code, "), "\(packed)")
      let named = try folder.trace("diamond.optracez")
      #expect(named.stacks.hasNames && named.operations.map(\.id) == trace.operations.map(\.id))
    }
  }
#endif
