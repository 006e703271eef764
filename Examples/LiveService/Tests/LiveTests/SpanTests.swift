import Foundation
import InMemoryTracing
import OpTrace
import OpTraceTracing
import Testing
import Tracing

/// What a span tells of an operation.
extension LiveTests {
  final class Photo: TracedOperation, @unchecked Sendable {
    override func main() {}
  }

  @Test func requestsAreOneTraceEach() throws {
    let observed = try Observed(wholeProcess: true)
    let queue = observed.queue("traced")
    let plain = OperationQueue()
    for number in 0..<50 {
      observed.tracer.withSpan("request \(number)") { _ in
        let fetch = TracedBlockOperation(name: "fetch") {}
        let decode = BlockOperation {}
        let publish = TracedBlockOperation(name: "publish") {}
        decode.addDependency(fetch)
        publish.addDependency(fetch)
        publish.addDependency(decode)
        queue.addOperations([fetch, publish], waitUntilFinished: false)
        plain.addOperation(decode)
        for _ in 0..<5 { plain.addOperation {} }
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    plain.waitUntilAllOperationsAreFinished()
    let spans = observed.tracer.finishedSpans
    #expect(spans.count == 450)
    #expect(Set(spans.map(\.traceID)).count == 50)
    #expect(spans.filter { $0.parentSpanID == nil }.count == 50)
    #expect(spans.reduce(0) { $0 + $1.links.count } == 150)
    #expect(observed.tracer.activeSpans.isEmpty)
    try observed.end()
  }

  @Test func spanTellsOfItsOperation() throws {
    let observed = try Observed()
    let queue = observed.queue("photos")
    queue.addOperations([Photo()], waitUntilFinished: true)
    let span = try observed.span("Photo")
    #expect(span.attribute("optrace.class") == .string("Photo"))
    #expect(span.attribute("optrace.queue") == .string("photos"))
    #expect(span.attribute("optrace.id") == .int64(1))
    #expect(span.attribute("code.function.name") == .string("LiveTests.LiveTests.Photo.main"))
    #expect(span.attribute("thread.id") != nil)
    #expect(span.attribute("optrace.cancelled") == nil)
    #expect(span.status == nil)
    #expect(span.events.map(\.name) == ["ready", "began"])
    let times =
      [span.startInstant.nanosecondsSinceEpoch] + span.events.map(\.nanosecondsSinceEpoch)
      + [span.endInstant.nanosecondsSinceEpoch]
    #expect(times == times.sorted())
    try observed.end()
  }

  @Test func sourceIsTold() throws {
    let observed = try Observed()
    let queue = observed.queue("photos")
    queue.addOperation(named: "here", file: "Photos/Here.swift", line: 7) {}
    queue.waitUntilAllOperationsAreFinished()
    let span = try observed.span("here")
    #expect(span.attribute("code.file.path") == .string("Photos/Here.swift"))
    #expect(span.attribute("code.line.number") == .int64(7))
    #expect(span.attribute("code.function.name") == nil)
    try observed.end()
  }

  @Test func failureIsAnErrorAndCancelledSaysSo() throws {
    let observed = try Observed()
    let queue = observed.queue("photos")
    queue.addOperation(TracedTaskOperation(name: "fails") { throw Failed() })
    queue.isSuspended = true
    let cancelled = TracedBlockOperation(name: "cancelled") {}
    queue.addOperation(cancelled)
    cancelled.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(try observed.span("fails").status == SpanStatus(code: .error, message: "no such photo"))
    let span = try observed.span("cancelled")
    #expect(span.attribute("optrace.cancelled") == .bool(true))
    #expect(span.events.map(\.name) == ["ready"])
    #expect(span.status == nil)
    try observed.end()
  }

  @Test(arguments: [false, true]) func linksLeadToDependenciesAndToWhoHeldTheSlot(isPlain: Bool) throws {
    let observed = try Observed(wholeProcess: isPlain)
    let queue = isPlain ? OperationQueue() : observed.queue("single")
    queue.maxConcurrentOperationCount = 1
    func block(_ name: String) -> BlockOperation {
      let operation = BlockOperation {}
      operation.name = name
      return operation
    }
    let operations = ["first", "second", "third"].map(block)
    operations[2].addDependency(operations[0])
    queue.isSuspended = true
    queue.addOperations(operations, waitUntilFinished: false)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    let spans = observed.tracer.finishedSpans
    #expect(try observed.span("first").links(among: spans) == [])
    #expect(try observed.span("second").links(among: spans) == ["slot first"])
    #expect(try observed.span("third").links(among: spans).first == "dependency first")
    try observed.end()
  }

  /// The next one comes when the place is free already.
  @Test func whoWaitedForNoPlaceHasNoLink() throws {
    let observed = try Observed()
    let queue = observed.queue("single", limit: 1)
    for name in ["first", "second"] {
      queue.addOperations([TracedBlockOperation(name: name) {}], waitUntilFinished: true)
    }
    #expect(try observed.span("second").links.isEmpty)
    try observed.end()
  }

  @Test func linkToADependencyThatWasOverBefore() throws {
    let observed = try Observed()
    let queue = observed.queue("photos")
    let first = TracedBlockOperation(name: "first") {}
    queue.addOperations([first], waitUntilFinished: true)
    let second = TracedBlockOperation(name: "second") {}
    second.addDependency(first)
    queue.addOperations([second], waitUntilFinished: true)
    #expect(try observed.span("second").links(among: observed.tracer.finishedSpans) == ["dependency first"])
    try observed.end()
  }

  @Test func spansInsideOfAnOperationAreItsChildren() throws {
    let observed = try Observed()
    let queue = observed.queue("photos")
    let tracer = observed.tracer
    queue.addOperation(named: "outer") { tracer.withSpan("inner") { _ in } }
    queue.waitUntilAllOperationsAreFinished()
    #expect(try observed.span("inner").parentSpanID == observed.span("outer").spanID)
    try observed.end()
  }

  @Test func operationThatNeverRunsEndsWithItsQueue() throws {
    let observed = try Observed()
    do {
      let queue = observed.queue("photos")
      queue.isSuspended = true
      queue.addOperation(named: "never") {}
      queue.cancelAllOperations()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
    #expect(try observed.span("never").attribute("optrace.cancelled") == .bool(true))
    #expect(observed.tracer.activeSpans.isEmpty)
    try observed.end()
  }

  @Test func whatIsInAPlainQueueWhenTheHooksLeaveEndsThere() throws {
    let observed = try Observed(wholeProcess: true)
    let queue = OperationQueue()
    queue.isSuspended = true
    let operation = BlockOperation {}
    operation.name = "held"
    queue.addOperation(operation)
    try observed.end()
    #expect(try observed.span("held").attribute("optrace.dropped") == .bool(true))
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(observed.tracer.finishedSpans.count == 1)
  }

  @Test func ignoredQueuesAreLeftAlone() throws {
    let observed = try Observed(ignoring: ["export"])
    for name in ["export", "photos"] {
      let queue = observed.queue(name)
      queue.addOperation(named: "in \(name)") {}
      queue.waitUntilAllOperationsAreFinished()
    }
    #expect(observed.tracer.finishedSpans.map(\.operationName) == ["in photos"])
    try observed.end()
  }

  @Test func whoWasInAQueueWhenItStoppedIsFollowedToItsEnd() throws {
    let observed = try Observed()
    let queue = observed.queue("photos")
    queue.isSuspended = true
    queue.addOperation(named: "before") {}
    observed.tracing.stop()
    queue.addOperation(named: "after") {}
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(observed.tracer.finishedSpans.map(\.operationName) == ["before"])
    try observed.end()
  }
}
