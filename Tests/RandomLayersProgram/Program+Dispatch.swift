import Dispatch
import Foundation

extension Program {
  func dispatch(_ node: Node, _ then: @escaping Then) {
    let child = node.child()
    let queue = queue(of: node)
    let next: Then = { [self] in perform(child, then) }
    switch node.number(10, below: 19) {
    case 0: queue.async(execute: next)
    case 1: concurrent.async(flags: .barrier, execute: next)
    case 2: DispatchQueue.global(qos: node.chance(11, percent: 50) ? .utility : .userInitiated).async(execute: next)
    case 3: queue.asyncAfter(deadline: .now() + .microseconds(node.number(11, below: 500)), execute: next)
    case 4: queue.async(qos: .userInitiated, flags: .enforceQoS, execute: next)
    case 5: group(node, then)
    case 6: queue.async(execute: DispatchWorkItem(block: next))
    case 7, 8: item(node, isCancelled: node.chance(11, percent: 50), then)
    case 9:
      syncAll(node)
      then()
    case 10:
      DispatchQueue.concurrentPerform(iterations: 1 + node.number(11, below: 5)) { count(node.child($0).leaf) }
      next()
    case 11: iterated(node, then)
    case 12: suspended(node, then)
    case 13: inactive(node, next)
    case 14: timer(queue, next)
    case 15: thread(node, then)
    case 16: DispatchQueue.main.async(execute: next)
    case 17: added(node, queue, next)
    // Nobody keeps it.
    default: DispatchQueue(label: "short").async(execute: next)
    }
  }

  func queue(of node: Node) -> DispatchQueue {
    let all = serial + [concurrent, below, .main, .global()]
    return all[node.number(12, below: all.count)]
  }

  private func group(_ node: Node, _ then: @escaping Then) {
    let group = DispatchGroup()
    for (number, child) in node.children.enumerated() {
      group.enter()
      queue(of: child).async(group: group) { [self] in
        count(child.leaf)
        perform(child) { group.leave() }
      }
      if number > 1 { concurrent.async(group: group, execute: DispatchWorkItem { [self] in count(child.leaf) }) }
    }
    group.notify(queue: queue(of: node), execute: then)
  }

  private func item(_ node: Node, isCancelled: Bool, _ then: @escaping Then) {
    let child = node.child()
    let item = DispatchWorkItem { [self] in count(child.leaf) }
    let queue = serial[node.number(13, below: serial.count)]
    if isCancelled { item.cancel() }
    item.notify(queue: self.queue(of: node)) { [self] in perform(child, then) }
    queue.async(execute: item)
  }

  /// Waits for queues of higher and higher ranks, in each other.
  private func syncAll(_ node: Node) {
    let queues = serial + [concurrent, .main]
    let least = (DispatchQueue.getSpecific(key: Self.rank) ?? -1) + 1
    var chosen = queues.indices.filter { $0 >= least && node.chance(20 + UInt64($0), percent: 40) }
    // In no queue's turn that has a rank, and yet it may be on the main thread.
    if Thread.isMainThread { chosen = [] }
    func next(_ place: Int) {
      guard place < chosen.count else { return count(node.leaf) }
      let queue = queues[chosen[place]]
      if queue === concurrent, node.chance(11, percent: 50) {
        queue.sync(flags: .barrier) { next(place + 1) }
      } else {
        queue.sync { next(place + 1) }
      }
    }
    next(0)
  }

  /// Iterations that submit.
  private func iterated(_ node: Node, _ then: @escaping Then) {
    let children = node.children
    let join = Join(children.count, then)
    DispatchQueue.concurrentPerform(iterations: children.count) { number in
      queue(of: children[number]).async { [self] in perform(children[number]) { join.done() } }
    }
  }

  /// Blocks in a queue that rests until another lets it go on.
  private func suspended(_ node: Node, _ then: @escaping Then) {
    let own = DispatchQueue(label: "rests")
    own.suspend()
    let children = node.children
    let join = Join(children.count, then)
    for child in children { own.async { [self] in perform(child) { join.done() } } }
    concurrent.asyncAfter(deadline: .now() + .microseconds(node.number(11, below: 2000))) { own.resume() }
  }

  private func inactive(_ node: Node, _ next: @escaping Then) {
    let own = DispatchQueue(label: "own", attributes: .initiallyInactive)
    own.setTarget(queue: serial[node.number(13, below: serial.count)])
    own.async(execute: next)
    if node.chance(11, percent: 50) {
      own.activate()
    } else {
      concurrent.async { own.activate() }
    }
  }

  private func timer(_ queue: DispatchQueue, _ next: @escaping Then) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler {
      timer.cancel()
      next()
    }
    timer.schedule(deadline: .now() + .microseconds(100))
    timer.resume()
  }

  private func added(_ node: Node, _ queue: DispatchQueue, _ next: @escaping Then) {
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setEventHandler { source.cancel() }
    source.setCancelHandler(handler: next)
    source.resume()
    source.add(data: 1)
  }

  /// The only threads that wait for what others do.
  private func thread(_ node: Node, _ then: @escaping Then) {
    let children = node.children
    Thread.detachNewThread { [self] in
      let done = DispatchSemaphore(value: 0)
      let group = DispatchGroup()
      for child in children {
        if child.chance(11, percent: 50) {
          perform(child) { done.signal() }
          done.wait()
        } else {
          group.enter()
          perform(child) { group.leave() }
        }
      }
      group.wait()
      let last = DispatchWorkItem { [self] in count(node.leaf) }
      concurrent.async(execute: last)
      last.wait()
      then()
    }
  }
}
