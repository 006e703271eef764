@testable import OpTraceRequests
import OpTraceModel
import TestSupport
import Testing

import OpTraceAnalysis
@testable import OpTraceLive
import OpTraceRunning
import OpTraceText

@Suite struct LiveFrameTests {
  private static let hostile = [
    "plain", "图片处理队列", "e\u{301}a\u{300}\u{301}\u{302}o", "👩‍👩‍👧‍👦 family", "\u{202E}desrever", "\u{1B}[2Jescape\u{7}",
    "line\nbreak\r\ttab", String(repeating: "long ", count: 100), "한국어 대기열", "", "\u{0}", "ﷺ", "ｆｕｌｌ",
  ]

  /// Many queues and operations with all kinds of names.
  private func frame(_ count: Int = 30) -> LiveFrame {
    var trace = HandmadeTrace("程序\u{1B}[31m", end: 70_000)
    for index in 0..<count {
      let queue = trace.queue(Self.hostile[index % Self.hostile.count], limit: index % 3 == 0 ? -1 : 1_000_000)
      trace.operation(
        Self.hostile[(index + 3) % Self.hostile.count], on: queue, thread: 2, enqueued: 1, ready: 1,
        began: 60_000 - Double(index))
      trace.operation("ready", on: queue, enqueued: 1, ready: Double(index))
      trace.operation("over", on: queue, enqueued: 1, ready: 60_000, began: 65_000, ended: 66_000)
    }
    var frame = LiveFrame(title: "程序 (4711) runs", status: LiveStatus(of: trace.trace))
    frame.selected = frame.chosen.dropFirst(2).first?.id
    return frame
  }

  @Test("a frame has as many lines as the terminal has rows, and none is too wide", arguments: 40...300)
  func fits(columns: Int) {
    let frame = frame()
    for (rows, isASCII) in [(8, false), (24, true), (57, false)] {
      var frame = frame
      frame.isASCII = isASCII
      let lines = frame.lines(columns: columns, rows: rows, style: .plain)
      #expect(lines.count == rows)
      for line in lines {
        #expect(TerminalText.columns(of: line) <= columns, "\(columns): \(line)")
        #expect(TerminalText.printable(line) == line)
        if isASCII { #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) }) }
      }
      #expect(lines.first?.contains("(4711) runs") == true)
      #expect(lines.last?.hasPrefix("q quit") == true)
    }
  }

  @Test("a terminal that is too small gets a message", arguments: [(39, 24), (80, 7), (10, 3), (1, 1)])
  func tooSmall(columns: Int, rows: Int) {
    let lines = frame().lines(columns: columns, rows: rows, style: .plain)
    #expect(lines.count == 1)
    #expect(TerminalText.columns(of: lines[0]) <= columns)
    if columns >= 30 { #expect(lines[0] == "too small: 40 columns, 8 rows") }
  }

  @Test("every section has its rows, and says what it leaves out") func sections() {
    let lines = frame().lines(columns: 120, rows: 30, style: .plain)
    #expect(lines.contains { $0.hasPrefix("  queue ") && $0.hasSuffix("p99") })
    #expect(lines.contains { $0.hasPrefix("  executing ") })
    #expect(lines.filter { $0.contains("… and ") && $0.hasSuffix(" more") }.count == 2)
    #expect(lines.contains { $0.hasPrefix("  > ") })
  }

  @Test("a narrow terminal keeps the most important columns") func narrow() {
    let lines = frame(3).lines(columns: 40, rows: 24, style: .plain)
    let heading = lines.first { $0.hasPrefix("  queue") } ?? ""
    for word in ["exec", "ready", "oldest"] { #expect(heading.contains(word)) }
    #expect(!heading.contains("limit"))
  }

  @Test("queues are sorted as asked") func order() {
    var frame = frame(6)
    func names() -> [String] {
      let lines = frame.lines(columns: 200, rows: 60, style: .plain)
      let begin = lines.firstIndex { $0.hasPrefix("  queue") } ?? 0
      return lines[(begin + 1)...].prefix { !$0.isEmpty }.map { String($0.dropFirst(2).prefix(6)) }
    }
    let made = names()
    frame.order = .oldest
    // Each operation became ready a millisecond after the one before.
    #expect(names() == made)
    frame.order = .name
    #expect(names() != made && names().sorted() == made.sorted())
    #expect(LiveFrame.Order.name.next == .made)
  }

  @Test("a filter leaves only rows with its text") func filter() {
    var frame = frame()
    frame.filter = "PLAIN"
    #expect(!frame.chosen.isEmpty)
    #expect(frame.chosen.allSatisfy { $0.title == "plain" || $0.queueTitle == "plain" })
    let lines = frame.lines(columns: 100, rows: 50, style: .plain)
    #expect(!lines.contains { $0.contains("family") && !$0.contains("plain") })
    frame.filter = "nothing has this"
    let trouble = Trouble("blocking-wait", .slow)
    let finding = Finding(trouble, .warning, ending: .itWorks, title: "it waited", explanation: "", fix: "")
    for findings in [[], [finding]] {
      frame.findings = findings
      let lines = frame.lines(columns: 100, rows: 50, style: .plain)
      #expect(lines.contains("nothing contains 'nothing has this'"))
      #expect(lines.contains("warning[blocking-wait]: it waited") == !findings.isEmpty)
    }
  }

  @Test("operations that may be finished are counted in a line of their own") func uncertain() {
    var frame = frame(1)
    frame.status.uncertain = 223
    frame.status.incompleteUntil = 12_000_000_000
    let lines = frame.lines(style: .plain)
    #expect(lines.last == "223 operations are not counted and may be finished: records from before 12.0 s are missing")
  }

  @Test("a program without queues gets a message") func empty() {
    let frame = LiveFrame(title: "program (1) runs", status: LiveStatus(of: HandmadeTrace().trace))
    #expect(
      frame.lines(style: .plain) == ["program (1) runs  0  0 threads busy", "", "no operation queue at the moment"])
  }

  /// A service with two kinds of requests, loops and an actor.
  private func service(failed: Int = 0) -> LiveFrame {
    var services = LiveServices()
    func request(_ name: String, _ failed: Int, _ mostly: String?) -> LiveServices.Request {
      .init(
        figures: .init(
          name: name, location: nil, count: 340, perSecond: 34, p50: 1_200_000, p95: 2_000_000, p99: 28_000_000,
          max: 31_000_000, failed: failed), mostly: mostly)
    }
    services.requests = [
      request("Shop.stock(_:)", 0, "for actor ProductCache: ProductCache.touch(_:)"),
      request("closure #1 in Server.serve(_:)", failed, nil),
    ]
    services.loops = [
      .init(
        name: "NIO-ELT-0-#1", thread: ThreadID(5), turns: 90, busy: 0.97, longest: 412_000_000, longTurns: 3,
        longTime: 900_000_000,
        mostly: CodeLocation(function: "Shop.render(_:)", file: "/src/Shop.swift", line: 31)),
      .init(
        name: "NIO-ELT-0-#2", thread: ThreadID(6), turns: 90, busy: 0.004, longest: 80_000, longTurns: 0, longTime: 0,
        mostly: nil),
    ]
    services.actors = [
      .init(
        title: "actor ProductCache 1", className: "ProductCache", used: 0.35, waits: 682, p50Wait: 2_960_000,
        p99Wait: 18_300_000, deepest: 7,
        holder: CodeLocation(function: "ProductCache.touch(_:)", file: "/src/Cache.swift", line: 15))
    ]
    var frame = LiveFrame(title: "shop (1) runs", status: LiveStatus(of: HandmadeTrace().trace))
    frame.contributions = [services]
    return frame
  }

  @Test("a service has tables of requests, event loops and actors") func services() {
    #expect(
      service().lines(columns: 120, rows: 20, style: .plain).prefix(13) == [
        "shop (1) runs  0  0 threads busy", "",
        "  requests                        per s      p50      p99      max  mostly",
        "  Shop.stock(_:)                     34  1.20 ms  28.0 ms  31.0 ms  for actor ProductCache: ProductCache.touch(_:)",
        "  closure #1 in Server.serve(_:)     34  1.20 ms  28.0 ms  31.0 ms  -", "",
        "  event loop    busy  longest  mostly in",
        "  NIO-ELT-0-#1  97 %   412 ms  Shop.render(_:) (Shop.swift:31)",
        "  NIO-ELT-0-#2  <1 %  80.0 µs  -", "",
        "  actor                 used  waits  p99 wait  deepest  most in",
        "  actor ProductCache 1  35 %    682   18.3 ms        7  ProductCache.touch(_:) (Cache.swift:15)", "",
      ])
  }

  @Test("tables of a service fit a narrow terminal, can be filtered, and count failed requests") func narrowServices() {
    var frame = service()
    for (columns, heading) in [
      (80, "  requests                 per s      p50      p99  mostly"),
      (50, "  requests                        per s      p99"),
    ] {
      let lines = frame.lines(columns: columns, rows: 24, style: .plain)
      #expect(lines.allSatisfy { TerminalText.columns(of: $0) <= columns })
      #expect(lines.contains(heading), "\(lines)")
    }
    frame = service(failed: 12)
    let failed = frame.lines(columns: 160, rows: 24, style: .plain)
    #expect(failed.contains { $0.hasSuffix("max  failed  mostly") } && failed.contains { $0.hasSuffix("      12  -") })
    frame.filter = "cache"
    let lines = frame.lines(style: .plain)
    #expect(lines.contains { $0.hasPrefix("  Shop.stock(_:) ") } && lines.contains { $0.hasPrefix("  actor Product") })
    #expect(!lines.contains { $0.contains("NIO") || $0.contains("closure") })
  }

  @Test("JSON has all keys, and null for missing values") func json() {
    var trace = HandmadeTrace(end: 2000)
    let queue = trace.queue("photos", limit: 2)
    trace.queue("idle")
    trace.operation("Decode", on: queue, thread: 2, enqueued: 0, ready: 0, began: 500)
    trace.operation("Store", on: queue, enqueued: 1000, ready: 1000)
    let text = String(
      decoding: LiveStatus(of: trace.trace).json(
        of: trace.trace, findings: [], sections: SectionSet.services.empty
      ).line, as: UTF8.self)
    #expect(
      text == """
        {"version":1,"pid":4194304,"seconds":2,"queues":[\
        {"name":"photos","limit":2,"suspended":false,"executing":1,"ready":1,"pending":0,"oldestReadySeconds":1,\
        "finishedPerSecond":0.0,"slotWaitP50Seconds":0.499122176,"slotWaitP99Seconds":0.499122176},\
        {"name":"idle","limit":null,"suspended":false,"executing":0,"ready":0,"pending":0,"oldestReadySeconds":null,\
        "finishedPerSecond":0.0,"slotWaitP50Seconds":null,"slotWaitP99Seconds":null}],"executing":[\
        {"id":1,"name":"Decode","queue":"photos","seconds":1.5,"thread":2,"function":null,"file":null,"line":null,"heldBy":null}],\
        "requests":[],"loops":[],"actors":[],\
        "findings":[]}

        """)
  }

  @Test("the list of recorded programs has a row for each") func programs() {
    #expect(RecordedProgram.text(of: [], style: .plain) == "No program on this machine is being recorded.\n")
    let program = RecordedProgram(
      processID: 4711, program: "ser\u{1B}ver", since: 90_000_000_000, file: "/tmp/run.optrace", mode: .flightRecorder,
      state: .stopped)
    #expect(
      RecordedProgram.text(of: [program], style: .plain)
        == """
         pid  program   for  mode             state    file
        4711  ser\u{FFFD}ver  90.0 s  flight-recorder  stopped  /tmp/run.optrace

        """.replacing("program   for", with: "program     for"))
    #expect(
      String(decoding: RecordedProgram.json(of: [program]).line, as: UTF8.self) == """
        {"version":1,"processes":[{"pid":4711,"program":"ser\u{FFFD}ver","sinceSeconds":90,"file":"/tmp/run.optrace",\
        "mode":"flight-recorder","state":"stopped"}]}

        """)
  }
}
