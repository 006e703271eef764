import Foundation
import InMemoryTracing
import OpTrace
import OpTraceModel
import OpTraceTracing
import Testing
import Tracing

/// The program's own spans, in the trace.
extension LiveTests {
  private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let caller = "00f067aa0ba902b7"

  @Test func spanHasAllThatItWasTold() throws {
    let run = try Recorded()
    let first = run.tracer.startSpan("first")
    run.tracer.withSpan("POST", ofKind: .server) { span in
      span.operationName = "POST /orders"
      span.attributes["http.route"] = "/orders"
      span.updateAttributes {
        $0["http.status"] = 201
        $0["ratio"] = 0.5
        $0["cached"] = true
        $0["tags"] = ["a", "b"]
      }
      span.attributes["http.status"] = 202
      span.addLink(first)
      span.addEvent("half way")
      span.setStatus(.init(code: .ok))
      #expect(span.operationName == "POST /orders" && span.attributes.count == 5 && span.isRecording)
    }
    first.end()
    let trace = try run.end()
    let span = try trace.span("POST /orders")
    #expect(span.kind == .server && span.outcome == "ok")
    #expect(
      Set(span.attributes.map { "\($0.key)=\($0.value) \($0.type)" }) == [
        "http.route=/orders text", "http.status=202 integer", "ratio=0.5 real", "cached=true flag",
        "tags=[\"a\", \"b\"] text",
      ])
    let target = try trace.span("first")
    #expect(span.links.map(\.span) == [target.id] && span.links.first?.context == target.context)
    #expect(span.ended != nil && span.parent == nil && span.leftOut == 0)
    #expect(trace.marks.map(\.name) == ["half way"])
  }

  @Test func parentsAreThoseOfTheContext() async throws {
    let run = try Recorded(tasks: true)
    let tracer = run.tracer
    await Task.detached {
      await tracer.withSpan("outer") { _ in
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<8 {
            group.addTask {
              await tracer.withSpan("child \(number)") { span in
                for _ in 0..<3 { await Task.yield() }
                tracer.withSpan("leaf \(number)") { $0.attributes["of"] = number }
              }
            }
          }
        }
        let context = ServiceContext.current
        await withCheckedContinuation { done in
          Thread {
            ServiceContext.$current.withValue(context) { tracer.withSpan("thread") { _ in } }
            done.resume()
          }.start()
        }
      }
    }.value
    let trace = try run.end()
    let outer = try trace.span("outer")
    #expect(outer.parent == nil && outer.work.flatMap { trace.task($0) } != nil)
    var tasks: Set<WorkID> = []
    for number in 0..<8 {
      let (child, leaf) = try (trace.span("child \(number)"), trace.span("leaf \(number)"))
      #expect(child.parent == outer.id && leaf.parent == child.id && leaf["of"] == "\(number)")
      // A task of the group each.
      if let work = child.work, trace.task(work)?.parent == outer.work { tasks.insert(work) }
      #expect(leaf.work == child.work)
    }
    #expect(tasks.count == 8)
    let thread = try trace.span("thread")
    #expect(thread.parent == outer.id && thread.work == nil && thread.began.thread != outer.began.thread)
    #expect(Set(trace.spans.compactMap { $0.context?.traceID }).count == 1)
    #expect(Set(trace.spans.compactMap { $0.context?.spanID }).count == trace.spans.count)
    #expect(trace.spans.allSatisfy { $0.ended != nil })
  }

  @Test func operationsAndBlocksAreNamed() throws {
    let run = try Recorded()
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let tracer = run.tracer
    queue.addOperations(
      [TracedBlockOperation(name: "load") { tracer.withSpan("inside") { _ in } }], waitUntilFinished: true)
    let trace = try run.end()
    let work = try #require(try trace.span("inside").work)
    #expect(trace.operation(work)?.title == "load")
  }

  @Test func errorsAreStatuses() throws {
    let run = try Recorded()
    #expect(throws: Failed.self) { try run.tracer.withSpan("throws") { _ in throw Failed() } }
    run.tracer.withSpan("records") { $0.recordError(Failed()) }
    run.tracer.withSpan("says") {
      $0.recordError(Failed())
      $0.setStatus(.init(code: .error, message: "no disk"))
    }
    run.tracer.withSpan("recovers") {
      $0.recordError(Failed())
      $0.setStatus(.init(code: .ok))
    }
    let trace = try run.end()
    #expect(try trace.span("throws").outcome == "error: no such photo")
    #expect(try trace.span("records").outcome == "error: no such photo")
    #expect(try trace.span("says").outcome == "error: no disk")
    #expect(try trace.span("recovers").outcome == "ok")
  }

  @Test func callersAreContinued() throws {
    let run = try Recorded()
    let incoming = ["traceparent": "00-\(Self.traceID)-\(Self.caller)-00", "tracestate": "vendor=a,b=\"c\""]
    let context = run.tracer.context(of: incoming)
    // Passed on as it came, where no span is begun.
    #expect(run.tracer.headers(of: context) == incoming)
    let span = run.tracer.startSpan("serve", context: context, ofKind: .server)
    let outgoing = run.tracer.headers(of: span.context)
    let inner = run.tracer.startSpan("inner", context: span.context)
    inner.end()
    span.end()
    let trace = try run.end()
    let serve = try trace.span("serve")
    let ids = try #require(serve.context)
    #expect(ids.traceID == Self.traceID && ids.remoteParent == Self.caller && serve.parent == nil)
    #expect(outgoing == ["traceparent": "00-\(Self.traceID)-\(ids.spanID)-00", "tracestate": incoming["tracestate"]])
    let called = try trace.span("inner")
    #expect(called.context?.traceID == Self.traceID && called.context?.remoteParent == nil)
    #expect(called.parent == serve.id)
  }

  @Test(arguments: [
    "", "00", "00-\(traceID)-\(caller)", "00-\(traceID)-\(caller)-0", "00-\(traceID)-\(caller)-01-",
    "00-\(traceID)-\(caller)-0x", "ff-\(traceID)-\(caller)-01", "00-\(traceID.uppercased())-\(caller)-01",
    "00-00000000000000000000000000000000-\(caller)-01", "00-\(traceID)-0000000000000000-01",
    "00-\(traceID)-\(caller)é-01", " 00-\(traceID)-\(caller)-01", "01-\(traceID)-\(caller)-01x",
  ]) func noTraceparentIsNone(_ text: String) throws {
    let run = try Recorded()
    let context = run.tracer.context(of: ["traceparent": text, "tracestate": "a=1"])
    #expect(run.tracer.headers(of: context) == [:])
    let span = run.tracer.startSpan("serve", context: context)
    #expect(run.tracer.headers(of: span.context)["tracestate"] == nil)
    span.end()
    #expect(try run.end().span("serve").context?.remoteParent == nil)
  }

  @Test func laterVersionsAreRead() throws {
    let run = try Recorded()
    for text in ["01-\(Self.traceID)-\(Self.caller)-01", "cc-\(Self.traceID)-\(Self.caller)-01-more"] {
      run.tracer.startSpan("serve", context: run.tracer.context(of: ["traceparent": text])).end()
    }
    let trace = try run.end()
    #expect(trace.spans.count == 2 && trace.spans.allSatisfy { $0.context?.remoteParent == Self.caller })
  }

  @Test func idsAreMade() throws {
    let run = try Recorded()
    let span = run.tracer.startSpan("root")
    let headers = run.tracer.headers(of: span.context)
    span.end()
    let other = run.tracer.startSpan("root")
    other.end()
    let trace = try run.end()
    let ids = trace.spans.compactMap(\.context)
    try #require(ids.count == 2)
    #expect(headers == ["traceparent": "00-\(ids[0].traceID)-\(ids[0].spanID)-01"])
    #expect(ids[0].traceID != ids[1].traceID && ids[0].spanID != ids[1].spanID)
  }

  // MARK: Beside others

  @Test func bothAreTold() throws {
    let other = OtherTracer()
    let run = try Recorded(beside: other)
    run.tracer.withSpan("both", ofKind: .client) { span in
      span.operationName = "renamed"
      span.attributes["a"] = 1
      span.addEvent("event")
      span.addLink(span)
      span.recordError(Failed())
      span.setStatus(.init(code: .error))
      // The other's wins, and the trace has its ids.
      #expect(run.tracer.headers(of: span.context) == ["Traceparent": "00-\(OtherTracer.traceID)-0000000000000002-00"])
    }
    #expect(
      other.log.all == [
        "start both client", "name renamed", "attributes 1", "event event", "link", "error no such photo",
        "status error", "end both",
      ])
    let span = try run.end().span("renamed")
    #expect(span.context?.traceID == OtherTracer.traceID && span.context?.spanID == "0000000000000002")
    #expect(span["a"] == "1" && span.status?.code == .error)
  }

  @Test func traceparentIsAddedWhereTheOtherSetsNone() throws {
    let other = InMemoryTracer()
    let run = try Recorded(beside: other)
    let span = run.tracer.startSpan("both")
    let headers = run.tracer.headers(of: span.context)
    span.end()
    #expect(headers.count > 1 && headers["traceparent"] != nil)
    let ids = try #require(try run.end().span("both").context)
    #expect(headers["traceparent"] == "00-\(ids.traceID)-\(ids.spanID)-01")
    #expect(other.finishedSpans.map(\.operationName) == ["both"])
  }

  @Test func operationsAreNoSpansOfOurOwn() throws {
    let run = try Recorded()
    var configuration = OperationTracing.Configuration()
    configuration.tracer = run.tracer
    let tracing = OperationTracing.start(configuration)
    defer { tracing.stop() }
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1, recorder: run.recorder)
    let tracer = run.tracer
    run.tracer.withSpan("outer") { _ in
      queue.addOperations([TracedBlockOperation { tracer.withSpan("inner") { _ in } }], waitUntilFinished: true)
    }
    let trace = try run.end()
    #expect(trace.spans.map(\.name) == ["outer", "inner"])
    #expect(try trace.span("inner").parent == trace.span("outer").id)
  }

  // MARK: Without a recorder

  @Test func nothingHappensWithoutRecorder() throws {
    TraceRecorder.default = nil
    let tracer = RecordingTracer()
    let incoming = ["traceparent": "00-\(Self.traceID)-\(Self.caller)-01"]
    #expect(tracer.headers(of: tracer.context(of: incoming)) == [:])
    tracer.withSpan("none") { span in
      span.attributes["a"] = 1
      span.operationName = "other"
      span.recordError(Failed())
      #expect(!span.isRecording && span.attributes.isEmpty && span.operationName == "none")
      #expect(tracer.headers(of: span.context) == [:])
    }
    let other = OtherTracer()
    RecordingTracer(beside: other).withSpan("other alone") { span in
      #expect(span.isRecording && span.operationName == "other alone")
      #expect(RecordingTracer(beside: other).headers(of: span.context)["Traceparent"] != nil)
    }
    #expect(other.log.all == ["start other alone internal", "end other alone"])
  }

  @Test func spansOutliveTheirRecorder() throws {
    let run = try Recorded()
    let span = run.tracer.startSpan("open")
    let trace = try run.end()
    #expect(try trace.span("open").ended == nil)
    span.attributes["late"] = 1
    span.end()
    #expect(!span.isRecording)
    // In another recorder's trace it is a caller from elsewhere.
    let next = try Recorded()
    next.tracer.startSpan("next", context: span.context).end()
    let second = try next.end().span("next")
    #expect(second.parent == nil && second.context?.remoteParent == trace.spans.first?.context?.spanID)
    #expect(second.context?.traceID == trace.spans.first?.context?.traceID)
  }

  // MARK: Many, long, odd

  @Test func endsOnAnotherThread() async throws {
    let run = try Recorded()
    let span = run.tracer.startSpan("moves")
    await withCheckedContinuation { done in
      Thread {
        span.attributes["there"] = true
        span.end()
        span.end()
        span.attributes["late"] = true
        done.resume()
      }.start()
    }
    let record = try run.end().span("moves")
    #expect(record.ended != nil && record.ended?.thread != record.began.thread)
    #expect(record.attributes.map(\.key) == ["there"])
  }

  @Test func noneOfManyIsLost() async throws {
    let run = try Recorded()
    let tracer = run.tracer
    await withTaskGroup(of: Void.self) { group in
      for part in 0..<4 {
        group.addTask {
          for number in 0..<25_000 {
            tracer.withSpan("span") {
              $0.attributes["part"] = part
              $0.attributes["number"] = number
            }
          }
        }
      }
    }
    let trace = try run.end()
    #expect(trace.loss.lostCount == 0 && trace.spans.count == 100_000)
    #expect(trace.spans.allSatisfy { $0.ended != nil && $0.attributes.count == 2 && $0.context != nil })
    #expect(Set(trace.spans.compactMap { $0.context?.spanID }).count == 100_000)
  }

  @Test func moreAttributesThanThereIsRoomForAreCounted() throws {
    let run = try Recorded()
    run.tracer.withSpan("many") { span in
      for number in 0..<100 { span.attributes["key \(number)"] = number }
      for _ in 0..<70 { span.addLink(span) }
      #expect(span.attributes.count == 100)
    }
    let span = try run.end().span("many")
    #expect(span.attributes.count == 64 && span.links.count == 64 && span.leftOut == 36 + 6)
  }

  @Test func namesAreKeptOrCut() throws {
    let run = try Recorded()
    let names = [
      "", "a\nb\u{0}\"\\", "🏳️‍🌈 e\u{301}", String(decoding: [0x41, 0xFF, 0xED, 0xA0, 0x80] as [UInt8], as: UTF8.self),
    ]
    let huge = String(repeating: "é", count: 1 << 19)
    for name in names + [huge] {
      run.tracer.withSpan(name) { span in
        span.attributes[name] = name
        span.attributes["k=v"] = "=\(name)"
        span.setStatus(.init(code: .error, message: name))
      }
    }
    let trace = try run.end()
    #expect(trace.spans.count == 5)
    for (span, name) in zip(trace.spans, names) {
      #expect(span.name == name && span[name] == name && span["k_v"] == "=\(name)")
      #expect(span.outcome == (name.isEmpty ? "error" : "error: \(name)"))
    }
    let last = try #require(trace.spans.last)
    #expect(last.name == String(repeating: "é", count: 512) && last.status?.message == last.name)
    // 256 bytes: the key alone, and `k_v==` with 125 letters of two bytes.
    #expect(Set(last.attributes.map { [$0.key.utf8.count, $0.value.utf8.count] }) == [[256, 0], [3, 251]])
  }

  @Test func openSpansAreCarriedInRings() throws {
    let run = try Recorded(ring: true)
    let span = run.tracer.startSpan(
      "serve",
      context: run.tracer.context(of: [
        "traceparent": "00-\(Self.traceID)-\(Self.caller)-01"
      ]), ofKind: .server)
    span.attributes["http.route"] = "/orders"
    span.setStatus(.init(code: .error, message: "slow"))
    for number in 0..<100_000 { run.tracer.withSpan("short") { $0.attributes["number"] = number } }
    let trace = try run.end()
    #expect(trace.spans.count < 100_000)
    let open = try trace.span("serve")
    #expect(open.ended == nil && open.kind == .server && open["http.route"] == "/orders")
    #expect(open.context?.remoteParent == Self.caller && open.status?.message == "slow")
  }

  // MARK: A program

  /// Two lines are all that it has of OpTrace.
  @Test func programWritesTwoLines() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("program-\(UUID().uuidString).optrace")
    defer { try? FileManager.default.removeItem(at: file) }
    let folders = ([Bundle.main] + Bundle.allBundles).flatMap {
      [$0.executableURL, $0.bundleURL].compactMap { $0?.deletingLastPathComponent() }
    }
    let program = try #require(
      folders.map { $0.appendingPathComponent("SpanProgram") }.first {
        FileManager.default.isExecutableFile(atPath: $0.path)
      })
    for isRecorded in [true, false] {
      let process = Process()
      process.executableURL = program
      process.environment = isRecorded ? ["OPTRACE_OUTPUT": file.path, "OPTRACE_TASKS": "1"] : [:]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && words == (isRecorded ? "traceparent\n" : "none\n"))
    }
    let trace = try TraceReader.read(path: file.path)
    #expect(try TraceValidator.check(path: file.path).violations.map { "\($0)" } == [])
    let (request, query) = try (trace.span("request"), trace.span("query"))
    #expect(query.parent == request.id && request["user"] == "ann")
    // The main task was there before the recorder.
    #expect(query.work.flatMap { trace.task($0) } != nil)
    #expect(query.work != request.work && query.status?.message == "timeout")
  }
}
