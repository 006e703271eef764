import BenchmarkSupport
import Foundation

/// The queues that all threads share, and who works on them.
final class Load: Sendable {
  static let queueCount = 4

  let options: LoadOptions
  let log: LaneLog
  let latencies = SharedLatencies()
  let classes: [NumberedOperation.Type]
  private let operationQueues: [OperationQueue]
  private let dispatchQueues: [DispatchQueue]

  init(_ options: LoadOptions, _ log: LaneLog) {
    self.options = options
    self.log = log
    classes = options.shape == .classes ? manyClasses() : []
    operationQueues = (0..<Self.queueCount).map { number in
      let queue = OperationQueue()
      queue.name = "operations \(number)"
      queue.maxConcurrentOperationCount = 2
      return queue
    }
    dispatchQueues = (0..<Self.queueCount).map { DispatchQueue(label: "blocks \($0)") }
  }

  func queue(for lane: Int) -> OperationQueue { operationQueues[lane % Self.queueCount] }
  func dispatchQueue(for lane: Int) -> DispatchQueue { dispatchQueues[lane % Self.queueCount] }

  /// Half of a request's work.
  func work() { _ = computed(options.work / 2) }

  func start() {
    for lane in 0..<log.laneCount { start(Lane(lane, of: self)) }
  }

  private func start(_ lane: Lane) {
    if options.shape == .tasks {
      log.addThread()
      Task.detached {
        await lane.runTasks()
        self.end(lane)
      }
      return
    }
    Thread.detachNewThread {
      self.log.addThread()
      switch self.options.shape {
      case .ending:
        lane.run(atMost: 10)
        if !self.log.isStopped { return self.start(lane) }
      case .idle where lane.index < self.options.threads:
        lane.run(atMost: 1)
        while !self.log.isStopped { usleep(1_000_000) }
      default:
        lane.run(atMost: .max)
      }
      self.end(lane)
    }
  }

  private func end(_ lane: Lane) {
    if options.measuresLatency { latencies.add(lane.latencies) }
    log.addEnd()
  }

  /// So many threads wait for an operation that never ends. Ends the process when it has hung long enough.
  func hang() -> Never {
    while log.ended < log.laneCount { usleep(5_000) }
    let queue = OperationQueue()
    queue.name = "stuck"
    queue.maxConcurrentOperationCount = 1
    let gate = DispatchSemaphore(value: 0)
    let holder = BlockOperation { gate.wait() }
    holder.name = "holder"
    queue.addOperation(holder)
    for _ in 0..<options.threads {
      Thread.detachNewThread {
        let operation = BlockOperation {}
        operation.name = "behind it"
        queue.addOperation(operation)
        self.log.addThread()
        operation.waitUntilFinished()
      }
    }
    log.noteHang()
    usleep(UInt32(clamping: Int(options.hang * 1e6)))
    _exit(0)
  }
}
