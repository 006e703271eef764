import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceText

@Suite("Stacks as text and JSON")
struct StacksTextTests {
  /// Two operations take two locks in two orders, the main thread waits for the first, one thread computes.
  private static let hang = """
    0 t0 image i1 build="a1" page=16 pages=4 "/home/photos"
    0 t0 image i2 build="b2" page=64 pages=4 "/usr/lib/libFoundation.so"
    0 t0 image i3 build="c3" page=128 pages=4 "/usr/lib/libdispatch.so.1"
    0 t0 frame f1 image=i1 offset=4096
    0 t0 frame f2 image=i3 offset=16 caller=f1 returns
    0 t0 frame f3 image=i2 offset=32 caller=f2 returns
    0 t0 frame f4 image=i1 offset=4352 caller=f3 returns
    0 t0 frame f5 image=i2 offset=48 caller=f4 returns
    0 t0 frame f6 image=i1 offset=5000 guessed
    0 t0 frame f7 image=i1 offset=6000
    0 t0 symbol f1 short="main" line=30 file="/src/main.swift" module="Photos" "main"
    0 t0 symbol f4 inlined=0 short="take(_:)" line=5 file="/src/main.swift" module="Photos" "Photos.take(_:)"
    0 t0 symbol f4 inlined=1 short="transfer(_:)" line=14 file="/src/main.swift" module="Photos" "Photos.transfer(_:)"
    0 t0 symbol f5 short="NSLock.lock()" "Foundation.NSLock.lock()"
    0 t0 symbol f7 short="load()" line=11 file="/src/main.swift" module="Photos" "Photos.load()"
    10 t1 queue q1 limit=-1 ""
    10 t1 at f7
    100 t1 created #1 class="BlockOperation"
    110 t1 enqueued #1 queue=q1 priority=0
    110 t1 at f7
    115 t1 ready #1
    120 t1 created #2 class="BlockOperation"
    130 t1 enqueued #2 queue=q1 priority=0
    140 t1 ready #2
    200 t2 started #1
    210 t2 began #1
    300 t1 wait #1
    400 t3 started #2
    410 t3 began #2
    10000400 t5 wait-lasts on=1 thread=t1 at=f7
    1000000500 t5 seen t1 cpu=20 state=2 call=203 reason=7 lock=0x7f0010
    1000000500 t5 at f6
    1000000510 t5 seen t2 cpu=30 state=2 call=203 reason=1 lock=0x7f0020 owner=t3
    1000000510 t5 at f5
    1000000520 t5 seen t3 cpu=30 state=2 call=203 reason=1 lock=0x7f0030 owner=t2
    1000000520 t5 at f6
    1000000530 t5 seen t4 cpu=1000 state=1 running
    1000000535 t5 seen t6 cpu=0 state=2 call=36 reason=9
    1000000540 t5 looked seen=5
    """

  private func read(_ lines: String, closed: Bool = false) throws -> Trace {
    var typed = TypedTrace()
    typed.isClosed = closed
    return try TraceReader.read(bytes: Array(typed.text(lines, in: .nanoseconds).utf8))
  }

  private func text(_ trace: Trace, isFull: Bool = false) -> String {
    StacksText(ThreadStatuses(of: trace), of: trace, isFull: isFull).text
  }

  private func json(_ trace: Trace) -> String {
    String(decoding: ThreadStatuses(of: trace).json(of: trace).bytes, as: UTF8.self)
  }

  @Test("on a terminal no line is wider than that", arguments: [40, 60, 80])
  func narrow(width: Int) throws {
    let trace = try read(Self.hang)
    let style = TextStyle(width: width, cutsTexts: true)
    let lines = StacksText(ThreadStatuses(of: trace), of: trace, style: style).text.split(separator: "\n")
    let wide = lines.filter { TerminalText.columns(of: String($0)) > width }
    #expect(wide.isEmpty, "\(wide)")
    let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.contains("main thread (tid 4711): blocked, waits for operation 'BlockOperation' #1 for 1.00 s"))
  }

  @Test("a hang shows a paragraph per thread, folds system frames, and marks inlined and guessed frames")
  func hang() throws {
    #expect(
      text(try read(Self.hang)) == """
        fixture (pid 4711): snapshot 1.00 s after the start; nothing had moved for 1.00 s
          5 threads: 1 running, 1 sleeping, 3 blocked

        main thread (tid 4711): blocked, waits for operation 'BlockOperation' #1 for 1.00 s
            load() (main.swift:11)

        thread 2 'worker' (tid 102): blocked, waits for a mutex 0x7f0020, held by thread 3 'worker'
          runs operation 'BlockOperation' #1
            … 1 frame of libFoundation
            take(_:) (main.swift:5), inlined
            transfer(_:) (main.swift:14)
            … 2 frames of libFoundation, libdispatch
            main (main.swift:30)

        thread 3 'worker' (tid 103): blocked, waits for a mutex 0x7f0030, held by thread 2 'worker'
          runs operation 'BlockOperation' #2
            ? photos+0x1388

        thread 4 'worker' (tid 104): running
            no stack: it was running on a processor

        thread 6 'worker' (tid 106): sleeping, waits for a time
            no stack: none was recorded

        """)
    #expect(text(try read(Self.hang), isFull: true).contains("    NSLock.lock() in libFoundation.so\n"))
    #expect(text(try read(Self.hang), isFull: true).contains("    libdispatch.so.1+0x10\n"))
  }

  @Test("JSON has the waits, the lock holders and every frame")
  func hangAsJSON() throws {
    let json = json(try read(Self.hang))
    #expect(
      json.contains(
        """
            {
              "id": 2,
              "systemId": 102,
              "name": "worker",
              "state": "blocked",
              "operation": 1,
              "waitsFor": {
                "kind": "lock",
                "id": null,
                "name": null,
                "address": "0x7f0020",
                "sinceSeconds": null,
                "timed": false
              },
              "owner": 3,
              "frames": [
                {
                  "function": "NSLock.lock()",
                  "module": "libFoundation.so",
                  "file": null,
                  "line": null,
                  "image": "libFoundation.so",
                  "offset": 48,
                  "guessed": false,
                  "inlined": false,
                  "own": false
                },
                {
                  "function": "take(_:)",
                  "module": "Photos",
                  "file": "/src/main.swift",
                  "line": 5,
                  "image": "photos",
                  "offset": 4352,
                  "guessed": false,
                  "inlined": true,
                  "own": true
                },
                {
                  "function": "transfer(_:)",
                  "module": "Photos",
                  "file": "/src/main.swift",
                  "line": 14,
                  "image": "photos",
                  "offset": 4352,
                  "guessed": false,
                  "inlined": false,
                  "own": true
                },

        """), "\(json)")
    #expect(json.contains("\"kind\": \"operation\",\n        \"id\": 1,\n        \"name\": \"BlockOperation\""))
    #expect(json.contains("\"state\": \"running\",\n      \"operation\": null,\n      \"waitsFor\": null,"))
    #expect(json.contains("\"look\": {\n    \"atSeconds\": 1.00000054,\n    \"lastSignSeconds\": 0.00000041,"))
  }

  @Test("events after the snapshot are not part of it, and the text says that the program continued")
  func wentOn() throws {
    let trace = try read(
      Self.hang + "\n2000000000 t2 ended #1\n2000000000 t2 finished #1\n2000000010 t1 waited #1\n")
    let text = text(trace)
    #expect(text.hasPrefix("fixture (pid 4711): snapshot 1.00 s after the start; it continued afterwards\n"))
    #expect(text.contains("\n  runs operation 'BlockOperation' #1\n"))
    #expect(text.contains("waits for operation 'BlockOperation' #1 for 1.00 s"))
  }

  @Test("without a snapshot, the text shows waiting and executing threads with the stacks of their waits")
  func noSnapshot() throws {
    let lines = Self.hang.split(separator: "\n").filter { !$0.contains(" t5 ") || $0.contains("wait-lasts") }
    let text = text(try read(lines.joined(separator: "\n")))
    #expect(text.hasPrefix("fixture (pid 4711): no snapshot of its threads; these wait or run operations"))
    #expect(text.contains("main thread (tid 4711): blocked, waits for operation 'BlockOperation' #1"))
    #expect(text.contains("    load() (main.swift:11)\n") && text.contains("no stack: none was recorded"))
    let empty = try read("10 t1 mark #0 \"x\"")
    #expect(
      self.text(empty) == "fixture (pid 4711): no snapshot of its threads, and none waits or runs an operation\n")
    #expect(json(empty).contains("\"look\": null,\n  \"threads\": [],"))
  }

  @Test("a stack ends at a cycle of frames, and at a frame that is not in the trace")
  func cycle() throws {
    let lines = """
      0 t0 frame f1 offset=16 caller=f2
      0 t0 frame f2 offset=32 caller=f1
      0 t0 frame f3 offset=48 caller=f9
      10 t5 seen t1 cpu=0 state=2 reason=9
      10 t5 at f1
      11 t5 seen t2 cpu=0 state=2 reason=9
      11 t5 at f3
      12 t5 looked seen=2
      """
    let trace = try read(lines)
    #expect(trace.stacks.frames(FrameID(1)).map(\.offset) == [16, 32])
    #expect(trace.stacks.frames(FrameID(3)).map(\.offset) == [48])
    #expect(trace.stacks.frames(FrameID(9)).isEmpty && trace.stacks.frames(nil).isEmpty)
    #expect(text(trace).contains("    0x10\n    0x20\n\n"))
  }

  @Test("names are escaped in text and JSON")
  func hostileNames() throws {
    let evil = #"\u{1B}[31m\n\"}\u{202E}"#
    let lines = """
      0 t0 image i1 build="a1" page=16 pages=4 "/home/\(evil)"
      0 t0 frame f1 image=i1 offset=16
      0 t0 frame f2 image=i1 offset=32 caller=f1
      0 t0 symbol f1 short="\(evil)" line=3 file="/x/\(evil)" module="\(evil)" "\(evil)"
      5 t7 thread t7 tid=107 "\(evil)"
      10 t5 seen t7 cpu=0 state=2 reason=1 lock=0x10 owner=t7
      10 t5 at f2
      12 t5 looked seen=1
      """
    let trace = try read(lines)
    for isFull in [false, true] {
      let text = text(trace, isFull: isFull)
      #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\r" })
      #expect(text.split(separator: "\n").count == 5, "\(text)")
    }
    #expect(!json(trace).contains("\u{1B}"))
  }

  @Test("1,000 threads are shown, each with its stack")
  func manyThreads() throws {
    var lines = "0 t0 image i1 build=\"a1\" page=16 pages=4 \"/home/photos\"\n"
    for depth in 1...64 {
      lines += "0 t0 frame f\(depth) image=i1 offset=\(depth * 16)\(depth > 1 ? " caller=f\(depth - 1)" : "")\n"
    }
    for number in 10..<1010 {
      lines += "5 t5 thread t\(number) tid=\(number) \"pool\"\n"
      lines += "5 t5 seen t\(number) cpu=0 state=2 reason=1 lock=0x10 owner=t10\n5 t5 at f64\n"
    }
    lines += "9 t5 looked seen=1000\n"
    let trace = try read(lines)
    let statuses = ThreadStatuses(of: trace)
    #expect(statuses.threads.count == 1000 && statuses.threads.allSatisfy { $0.owner == ThreadID(10) })
    #expect(statuses.threads.allSatisfy { trace.stacks.frames($0.stack).count == 64 })
    let text = text(trace)
    #expect(text.contains("\n  1 000 threads: 1 000 blocked\n") || text.contains("\n  1,000 threads: 1,000 blocked\n"))
    #expect(text.split(separator: "\n").count == 2 + 1000 * 65)
  }

  @Test(
    "the kernel's reason decides whether a thread is blocked, sleeps or runs", arguments: SeenCase.all)
  func states(_ one: SeenCase) throws {
    let trace = try read("5 t5 seen t2 cpu=0 \(one.words)\n6 t5 looked seen=1")
    let thread = try #require(ThreadStatuses(of: trace).threads.first)
    #expect(thread.state == one.state && thread.waitsFor?.kind == one.kind)
  }

  struct SeenCase: Sendable, CustomTestStringConvertible {
    var words: String
    var state: ThreadStatus.State
    var kind: ThreadStatus.Awaited.Kind?
    var testDescription: String { words }

    static let all: [SeenCase] = [
      .init(words: "state=1 running", state: .running, kind: nil),
      .init(words: "state=2 running reason=1", state: .running, kind: nil),
      .init(words: "state=2 reason=0", state: .sleeping, kind: nil),
      .init(words: "state=2 reason=1 lock=0x10", state: .blocked, kind: .lock),
      .init(words: "state=2 reason=2 lock=0x10", state: .blocked, kind: .lock),
      .init(words: "state=2 reason=5 lock=0x10", state: .blocked, kind: .lock),
      .init(words: "state=2 reason=6 owner=t3", state: .blocked, kind: .thread),
      .init(words: "state=2 reason=7", state: .blocked, kind: .signal),
      .init(words: "state=2 reason=8", state: .sleeping, kind: .input),
      .init(words: "state=2 reason=9", state: .sleeping, kind: .time),
      .init(words: "state=2 reason=10", state: .sleeping, kind: .input),
      .init(words: "state=2 reason=11", state: .sleeping, kind: .process),
      .init(words: "state=2 reason=12", state: .sleeping, kind: .systemSignal),
    ]
  }

  @Test("an unnamed queue is shown by number and creation site; a named one by name")
  func queues() throws {
    let trace = try read(Self.hang)
    let queue = try #require(trace.queue(QueueID(1)))
    #expect(queue.title == "queue 1 made in load() (main.swift:11)" && queue.phrase == queue.title)
    #expect(queue.codeLocation == CodeLocation(function: "load()", file: "/src/main.swift", line: 11, module: "Photos"))
    let json = String(decoding: Summary(of: trace).json.bytes, as: UTF8.self)
    #expect(json.contains("\"name\": \"queue 1 made in load() (main.swift:11)\""))
    #expect(json.contains("\"function\": \"load()\",\n      \"file\": \"/src/main.swift\",\n      \"line\": 11,"))
    let named = try read(Self.hang.replacing("limit=-1 \"\"", with: "limit=-1 \"net\""))
    #expect(named.queue(QueueID(1))?.title == "net" && named.queue(QueueID(1))?.phrase == "queue net")
    let nameless = try read(Self.hang.split(separator: "\n").filter { !$0.contains("symbol") }.joined(separator: "\n"))
    #expect(nameless.queue(QueueID(1))?.title == "queue 1")
  }

  @Test("waits are listed by line, the longest total first")
  func indexes() throws {
    let lines =
      Self.hang + """

        1000000600 t1 waited #1
        1000000700 t4 wait #2
        1010000700 t5 wait-lasts on=2 thread=t4 at=f4
        1500000000 t4 mark #0 "end"
        """
    let trace = try read(lines)
    let summary = Summary(of: trace)
    #expect(summary.locations.map(\.code.line) == [11, 5])
    #expect(summary.locations.map(\.count) == [1, 1] && summary.locations.map(\.unfinished) == [0, 1])
    #expect(summary.locations.map(\.total) == [1_000_000_300, 499_999_300])
    #expect(
      SummaryText(summary, of: trace).text.hasSuffix(
        """
        Where threads waited
           total     max  count  open  function  at
          1.00 s  1.00 s      1     0  load()    main.swift:11
          500 ms  500 ms      1     1  take(_:)  main.swift:5

        """))
    let json = String(decoding: summary.json.bytes, as: UTF8.self)
    #expect(
      json.contains("\"unfinishedCount\": 1,\n      \"totalSeconds\": 0.4999993,\n      \"longestSeconds\": 0.4999993"))
    #expect(Summary(of: trace, slowestCount: 1).moreLocations == 1)
  }
}
