import BenchmarkSupport
import Foundation

/// Does one request after another.
///
/// Only the thread (or the task) that works the lane uses it; the next one is started when that has made its last request.
final class Lane: @unchecked Sendable {
  let index: Int
  private let load: Load
  private var number = 0
  private(set) var latencies = Latencies()
  private let done = DispatchSemaphore(value: 0)

  init(_ index: Int, of load: Load) {
    self.index = index
    self.load = load
  }

  /// Until the load is stopped, or so many.
  func run(atMost count: Int) {
    var left = count
    while left > 0, !load.log.isStopped {
      left -= 1
      let name = begin()
      switch load.options.shape {
      case .queuePerRequest: submitToOwnQueue(name)
      case .bursts: submitBurst(name)
      case .names: submitToNamedQueue(name)
      case .classes: submit(load.classes[(number &* 7 &+ index &* 31) % load.classes.count].init(), name)
      default: submit(BlockOperation { self.load.work() }, name)
      }
      load.log.finish(number, of: index)
    }
  }

  func runTasks() async {
    while !load.log.isStopped {
      let name = begin()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { timed { group.addTask { self.load.work() } } }
      }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let operation = BlockOperation { self.load.work() }
        operation.name = name
        operation.completionBlock = { continuation.resume() }
        load.queue(for: index).addOperation(operation)
      }
      load.log.finish(number, of: index)
    }
  }

  private func begin() -> String {
    number += 1
    load.log.begin(number, of: index)
    return RingShape.name(lane: index, number: number)
  }

  /// To a queue that lives as long as the program.
  private func submit(_ operation: Operation, _ name: String) {
    operation.name = name
    timed { load.queue(for: index).addOperation(operation) }
    operation.waitUntilFinished()
    load.dispatchQueue(for: index).sync { load.work() }
  }

  private func submitBurst(_ name: String) {
    let last = BlockOperation { self.load.work() }
    last.name = name
    let others = (1..<20).map { _ in BlockOperation {} }
    for operation in others { last.addDependency(operation) }
    timed { load.queue(for: index).addOperations(others + [last], waitUntilFinished: false) }
    last.waitUntilFinished()
    load.dispatchQueue(for: index).sync { load.work() }
  }

  private func submitToOwnQueue(_ name: String) {
    let queue = DispatchQueue(label: name)
    timed {
      queue.async {
        self.load.work()
        self.done.signal()
      }
    }
    done.wait()
    load.work()
  }

  private func submitToNamedQueue(_ name: String) {
    let queue = OperationQueue()
    queue.name = "queue of \(name)"
    let operation = BlockOperation { self.load.work() }
    operation.name = name
    timed { queue.addOperation(operation) }
    operation.waitUntilFinished()
    load.work()
  }

  private func timed(_ call: () -> Void) {
    guard load.options.measuresLatency else { return call() }
    let begin = LaneLog.now()
    call()
    latencies.add(LaneLog.now() - begin)
  }
}
