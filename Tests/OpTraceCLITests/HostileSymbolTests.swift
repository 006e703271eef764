#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// A program whose symbols would control terminals, break out of HTML, or are too long.
  @Suite("Hostile names of functions and files", .ownThread) struct HostileSymbolTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    /// Symbols of ten million letters, of gigabytes when demangled, and with invalid UTF-8.
    private static func source() -> String {
      let places = ["S_"] + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { "S\($0)_" }
      let explosion = "_Z1f1AIiiE" + (1..<34).map { "S_I\(places[$0])\(places[$0])E" }.joined()
      return #"""
        #define through(name, label) \
          void name(void (*next)(void)) __asm__(label); \
          __attribute__((noinline)) void name(void (*next)(void)) { next(); __asm__ volatile("" ::: "memory"); }
        #line 7 "/evil\x1b[31m\n</script>\x07\xe2\x80\xae.c"
        through(steers, "steers\x1b[2J\n\r\x7f\xe2\x80\xae</script><b>&\x22'")
        #line 9 "/plain.c"
        through(grows, "\#(String(repeating: "L", count: 10 << 20))")
        through(explodes, "\#(explosion)")
        through(bytes, "no\xff\xfeutf8")
        static void (*last)(void);
        static void to_last(void) { last(); __asm__ volatile("" ::: "memory"); }
        static void to_bytes(void) { bytes(to_last); __asm__ volatile("" ::: "memory"); }
        static void to_explodes(void) { explodes(to_bytes); __asm__ volatile("" ::: "memory"); }
        static void to_grows(void) { grows(to_explodes); __asm__ volatile("" ::: "memory"); }
        void through_all(void (*function)(void)) { last = function; steers(to_grows); __asm__ volatile("" ::: "memory"); }
        """#
    }

    private static let program = #"""
      import Foundation
      @_silgen_name("through_all") func throughAll(_ function: @convention(c) () -> Void)
      nonisolated(unsafe) var seconds = 0.05
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      for _ in 0..<2 {
        queue.addOperation {
          throughAll {
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + seconds)
            seconds = 1000
          }
        }
      }
      sleep(3)
      kill(getpid(), SIGKILL)
      """#

    private func run(_ arguments: [String]) throws -> Command.Result {
      try Command.run(
        arguments: [folder.folder.folder.path] + arguments, shell: RecordFolder.enter + #"exec "$optrace" "$@""#)
    }

    @Test("every output escapes or cuts hostile names") func outputs() throws {
      try folder.folder.write("evil.c", Array(Self.source().utf8))
      try folder.folder.write("main.swift", Array(Self.program.utf8))
      let built = try Command.run(
        folder.folder.folder.path,
        shell: RecordFolder.enter + #"""
          clang -g -O1 -fno-optimize-sibling-calls -c evil.c -o evil.o &&
          swiftc -O -g -swift-version 5 main.swift evil.o -o program && exec "$optrace" record -o run.optrace -- ./program
          """#)
      try #require(built.status == 128 + SIGKILL, "\(built.errors.prefix(2000))")
      let trace = try folder.trace("run.optrace")
      #expect(TraceValidator.check(try TraceReader.events(path: folder.folder.path("run.optrace"))).isEmpty)
      let names = Set(trace.stacks.addresses.flatMap { trace.stacks.symbols(of: $0.frame) }.map(\.shortName))
      #expect(names.contains { $0.hasPrefix("steers\u{1B}[2J") }, "\(names.map { $0.prefix(40) })")
      #expect(names.contains { $0.hasPrefix("no\u{FFFD}") } && names.allSatisfy { $0.utf8.count <= 1 << 16 })
      let commands = [
        ["stacks"], ["stacks", "--full"], ["stacks", "--json"], ["summary"], ["summary", "--json"], ["doctor"],
        ["doctor", "--json"], ["validate"], ["dump"], ["graph", "--format", "svg"], ["graph", "--format", "dot"],
        ["timeline", "--format", "json"], ["report"],
      ]
      for command in commands {
        let result = try run(command + ["run.optrace"] + (command == ["report"] ? ["-o", "-"] : []))
        #expect(result.status <= 1, "\(command): \(result.errors.prefix(500))")
        let text = result.output + result.errors
        let bad = text.unicodeScalars.filter {
          $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) || $0 == "\u{202E}"
        }
        #expect(bad.isEmpty, "\(command): \(Set(bad.map(\.value)))")
        #expect(text.utf8.count < 4 << 20, "\(command): \(text.utf8.count) bytes")
        // Browsers read these outputs.
        if command.contains("svg") || command == ["report"] { #expect(!text.contains("</script><b>"), "\(command)") }
        if command.last == "--json" || command.contains("json") {
          #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(result.output.utf8)) }
        }
        if command.contains("svg") {
          try folder.folder.write("run.svg", Array(result.output.utf8))
          let checked = try Command.run(
            folder.folder.path("run.svg"), shell: #"command -v xmllint >/dev/null || exit 0; xmllint --noout "$1""#)
          #expect(checked == .init(status: 0, output: "", errors: ""))
        }
      }
    }
  }
#endif
