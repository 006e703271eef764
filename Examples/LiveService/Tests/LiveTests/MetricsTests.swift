import CoreMetrics
import Foundation
import MetricsTestKit
import OpTrace
import OpTraceMetrics
import Testing

/// What is measured of queues.
extension LiveTests {
  private struct Measured {
    let observed: Observed
    let test = TestMetrics()
    let metrics: OperationMetrics

    init(mostPairs: Int = 200, wholeProcess: Bool = false) throws {
      observed = try Observed(makesSpans: false, wholeProcess: wholeProcess)
      var configuration = OperationMetrics.Configuration()
      configuration.factory = test
      configuration.mostPairs = mostPairs
      metrics = OperationMetrics.start(configuration)
    }

    func end() throws {
      metrics.stop()
      try observed.end()
    }

    func gauge(_ name: String, _ queue: String) throws -> Double? {
      metrics.refresh()
      return try test.expectGauge("optrace_queue_\(name)", [("queue", queue)]).lastValue
    }
  }

  @Test(arguments: [false, true]) func gaugesTellWhatAQueueHolds(isPlain: Bool) throws {
    let measured = try Measured(wholeProcess: isPlain)
    let queue = isPlain ? OperationQueue() : measured.observed.queue("held")
    queue.name = "held"
    queue.maxConcurrentOperationCount = 1
    let isRunning = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let running = BlockOperation {
      isRunning.signal()
      mayEnd.wait()
    }
    let waiting = BlockOperation {}
    waiting.addDependency(running)
    queue.addOperation(running)
    isRunning.wait()
    queue.addOperation {}
    queue.addOperation(waiting)
    #expect(try measured.gauge("executing", "held") == 1)
    #expect(try measured.gauge("ready", "held") == 1)
    #expect(try measured.gauge("waiting", "held") == 1)
    let age = try #require(try measured.gauge("oldest_ready_seconds", "held"))
    #expect(age > 0)
    #expect(try #require(try measured.gauge("oldest_ready_seconds", "held")) > age)
    mayEnd.signal()
    queue.waitUntilAllOperationsAreFinished()
    for name in ["executing", "ready", "waiting", "oldest_ready_seconds"] {
      #expect(try measured.gauge(name, "held") == 0)
    }
    try measured.end()
  }

  @Test func waitsAndRunsAreToldOncePerOperation() throws {
    let measured = try Measured()
    let queue = measured.observed.queue("photos", limit: 2)
    for _ in 0..<10 { queue.addOperation(Photo()) }
    queue.addOperation(TracedTaskOperation { throw Failed() })
    let cancelled = Photo()
    queue.isSuspended = true
    queue.addOperation(cancelled)
    cancelled.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    let photos = [("queue", "photos"), ("class", "Photo")]
    for (name, count) in [("wait_dependencies", 11), ("wait_slot", 11), ("run", 10)] {
      let timer = try measured.test.expectTimer("optrace_operation_\(name)_seconds", photos)
      #expect(timer.values.count == count, "\(name)")
      #expect(timer.values.allSatisfy { $0 >= 0 })
    }
    func total(_ name: String, _ outcome: String) -> Int64 {
      measured.test.counterTotal(
        label: "optrace_operations_total",
        dimensions: [("queue", "photos"), ("class", name), ("outcome", outcome)])
    }
    #expect(total("Photo", "finished") == 10)
    #expect(total("Photo", "cancelled") == 1)
    #expect(total("TracedTaskOperation", "failed") == 1)
    try measured.end()
  }

  @Test func pairsBeyondTheLimitAreCountedTogether() throws {
    let measured = try Measured(mostPairs: 3)
    for number in 0..<10 {
      let queue = measured.observed.queue("queue \(number)")
      queue.addOperations([Photo()], waitUntilFinished: true)
      measured.metrics.refresh()
    }
    let timers = measured.test.timers(label: "optrace_operation_run_seconds")
    #expect(timers.count == 4)
    let other = try measured.test.expectTimer(
      "optrace_operation_run_seconds", [("queue", "other"), ("class", "other")])
    #expect(other.values.count == 7)
    #expect(measured.test.counterTotal(label: "optrace_operations_in_other_total") == 7)
    #expect(measured.test.recorders(label: "optrace_queue_ready").count <= 4)
    try measured.end()
  }

  @Test func queuesOfOneNameAreOne() throws {
    let measured = try Measured()
    let queues = (0..<3).map { _ in measured.observed.queue("tiles") }
    for queue in queues {
      queue.isSuspended = true
      queue.addOperation {}
    }
    #expect(try measured.gauge("ready", "tiles") == 3)
    for queue in queues {
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
    #expect(try measured.gauge("ready", "tiles") == 0)
    try measured.end()
  }

  @Test func timerLooksByItself() throws {
    let measured = try Measured()
    let queue = measured.observed.queue("looked at")
    queue.isSuspended = true
    queue.addOperation {}
    measured.metrics.refresh(every: 0.001)
    func looked() -> Double? {
      measured.test.recorders(label: "optrace_queue_ready", dimensions: [("queue", "looked at")]).first?.lastValue
    }
    while looked() != 1 { Thread.sleep(forTimeInterval: 0.001) }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    try measured.end()
  }
}
