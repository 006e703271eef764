#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// Programs whose stacks and threads are hard to see. Recording must not change what they do.
  @Suite("Hostile programs", .ownThread) struct HostileProgramTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    /// Program and argument. `bare` has no unwind tables; the section table of `broken` is outside of its file.
    static let runs = [
      "hostile plain", "hostile library", "hostile signal-stack", "hostile fibers", "hostile many-threads",
      "hostile coming-threads", "hostile frame-loop", "hostile child", "hostile many-blocks",
      "hostile cancelled-items", "bare plain", "bare frame-loop", "broken plain", "broken fibers",
    ]

    private func compile() throws {
      let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("HostilePrograms").path
      // Bytes 40 to 47 of an ELF file are the offset of its section headers.
      let made = try Command.run(
        folder.folder.folder.path, sources,
        shell: RecordFolder.enter + #"""
          clang -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -c "$1/support.c" -o support.o &&
          clang -shared -fPIC -o library.so "$1/library.c" &&
          swiftc -swift-version 6 -O -import-objc-header "$1/support.h" "$1/main.swift" support.o -o hostile &&
          objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr hostile bare &&
          cp hostile broken &&
          printf '\377\377\377\377\377\177\000\000' | dd of=broken bs=1 seek=40 conv=notrunc 2>/dev/null
          """#)
      try #require(made.status == 0, "\(made)")
    }

    /// Runs all at once: alone, recorded without blocks, and recorded with blocks.
    /// Writes `PROGRAM-NAME.HOW.out`, `.err` and `.status`.
    private func runAll() throws {
      let list = Self.runs.map { "'\($0)'" }.joined(separator: " ")
      let result = try Command.run(
        folder.folder.folder.path,
        shell: RecordFolder.enter + """
          run() {
            out=$1; shift
            "$@" >$out.out 2>$out.err
            echo $? >$out.status
          }
          # Asks for snapshots until the recorder has written one that is complete and has so many threads. If the program has ended
          # before, nobody reads the lines any more, and that ends this.
          until_seen() {
            until "$optrace" stacks --json $1 >$1.json 2>$1.said && ! grep -q 'no new\\|not answer' $1.said &&
              grep -q '"complete": true' $1.json && [ $(grep -c '"systemId"' $1.json) -ge $2 ]; do echo || exit; done
          }
          for one in \(list); do
            set -- $one ./library.so
            run $1-$2.alone ./$1 $2 $3 </dev/null &
            case $2 in
              many-threads) threads=300 ;;
              coming-threads | frame-loop) threads=1 ;;
              *) threads= ;;
            esac
            { [ -z "$threads" ] || until_seen $1-$2.waits.optrace $threads; } |
              run $1-$2.waits "$optrace" record --stacks all -o $1-$2.waits.optrace -- ./$1 $2 $3 &
            run $1-$2.blocks "$optrace" record --dispatch -o $1-$2.blocks.optrace -- ./$1 $2 $3 </dev/null &
          done
          "$optrace" record --dispatch -o shell.optrace -- sh -c './hostile cancelled-items; true' </dev/null >shell.out 2>shell.err &
          wait
          """)
      try #require(result.status == 0, "\(result)")
    }

    private func text(_ name: String) throws -> String {
      try String(contentsOfFile: folder.folder.path(name), encoding: .utf8)
    }

    @Test("recording keeps output and status of each program, and its trace is complete") func all() throws {
      try compile()
      try runAll()
      var traces: [String: Trace] = [:]
      for run in Self.runs {
        let name = run.replacing(" ", with: "-")
        let alone = (out: try text("\(name).alone.out"), status: try text("\(name).alone.status"))
        #expect(alone.status == "0\n", "\(run)")
        for how in ["waits", "blocks"] {
          let file = "\(name).\(how)"
          let recorded = (out: try text("\(file).out"), status: try text("\(file).status"))
          #expect(recorded == alone, "\(file)")
          let violations = TraceValidator.check(
            try TraceReader.events(path: folder.folder.path("\(file).optrace")))
          #expect(violations.isEmpty, "\(file): \(violations)")
          let trace = try folder.trace("\(file).optrace")
          #expect(trace.header.isClosed && trace.loss.isComplete, "\(file)")
          traces[file] = trace
        }
      }
      func trace(_ name: String) throws -> Trace { try #require(traces[name]) }

      // All operations are there, even those added from unusual stacks.
      for (name, count) in [
        ("hostile-plain", 10), ("hostile-library", 20), ("hostile-signal-stack", 10), ("hostile-fibers", 10),
        ("hostile-child", 10), ("bare-plain", 10), ("broken-plain", 10), ("broken-fibers", 10),
      ] {
        let trace = try trace("\(name).waits")
        #expect(trace.operations.count == count && trace.operations.allSatisfy { $0.finished != nil }, "\(name)")
      }
      // An unloaded library keeps its name.
      #expect(try trace("hostile-library.waits").stacks.images.values.contains { $0.name == "library.so" })

      // Snapshots have all threads.
      let many = try text("hostile-many-threads.waits.optrace.json")
      #expect(many.matches(of: #/"systemId"/#).count >= 300 && many.contains(#""complete": true"#))
      for name in ["hostile-coming-threads", "hostile-frame-loop", "bare-frame-loop"] {
        #expect(try trace("\(name).waits").snapshot?.isPartial == false, "\(name)")
      }

      // A forked copy of the process is not recorded, and does its work.
      let blocks = try trace("hostile-many-blocks.blocks")
      let synced = blocks.blocks.count { $0.way == .sync }
      #expect(blocks.blocks.count == 100_000 + synced && blocks.blocks.allSatisfy { $0.ended != nil })
      #expect(try text("hostile-many-blocks.blocks.err").contains("100,00\(synced) blocks in '") && synced < 3)
      // The trace of a child process with blocks but no operation is kept.
      #expect(try text("shell.err").contains("6 blocks in '") && !text("shell.err").contains("operation"))
      let items = try trace("hostile-cancelled-items.blocks").blocks.filter { $0.way != .sync }
      #expect(items.filter { $0.began != nil }.count == 1 && items.count == 4)
      #expect(try trace("hostile-child.blocks").blocks.isEmpty)
    }
  }
#endif
