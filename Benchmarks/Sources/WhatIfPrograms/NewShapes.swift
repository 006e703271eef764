import Foundation

/// Shapes that were written when the model was done, each of another kind than those before.
let newShapes: [Shape] = [
  // Operations that add their children, and a last one that waits for all leaves.
  Shape(
    "tree",
    ["--limit work=1", "--limit work=6", "--faster Decode=2", "--faster Scale=4", "--priority Scale=veryHigh"]
  ) {
    let queues = Queues(["work": 2])
    @Sendable func branch(_ depth: Int, _ number: Int) {
      let time = Double(4 + (depth * 5 + number * 7) % 9)
      if depth == 3 { return queues.add(Scale(time), to: "work") }
      queues.add(
        Decode(
          time,
          after: {
            branch(depth + 1, number * 2)
            branch(depth + 1, number * 2 + 1)
          }), to: "work")
    }
    branch(0, 1)
    queues.waitUntilDone()
  },
  // A queue that is closed until something has been prepared, and closed again in between.
  Shape(
    "gates",
    ["--faster Load=2", "--limit gated=4", "--limit gated=1", "--faster Load=0.5", "--faster Decode=2"]
  ) {
    let queues = Queues(["gated": 2, "keys": 1])
    queues["gated"].isSuspended = true
    for item in 0..<12 { queues.add(Decode(Double(6 + item * 5 % 9)), to: "gated") }
    queues.add(Load(20, after: { queues["gated"].isSuspended = false }), to: "keys")
    queues.add(Load(10, after: { queues["gated"].isSuspended = true }), to: "keys")
    queues.add(Load(15, after: { queues["gated"].isSuspended = false }), to: "keys")
    queues.waitUntilDone()
  },
  // A clock that adds work, whatever becomes of it.
  Shape(
    "clock",
    ["--limit work=1", "--limit work=4", "--faster Decode=2", "--faster Decode=0.5", "--limit work=3"]
  ) {
    let queues = Queues(["work": 2])
    let ticks = DispatchSemaphore(value: 0)
    let timer = DispatchQueue(label: "clock")
    for item in 0..<14 {
      timer.asyncAfter(deadline: .now() + .milliseconds(20 + item * 30)) {
        queues.add(Decode(Double(10 + item * 7 % 13)), to: "work")
        ticks.signal()
      }
    }
    for _ in 0..<14 { ticks.wait() }
    queues.waitUntilDone()
  },
  // Two threads of the program's own, each of which goes on when its operation is over.
  Shape(
    "threads",
    ["--faster Load=2", "--faster Decode=2", "--limit work=1", "--limit work=4", "--priority Load=veryHigh"]
  ) {
    let queues = Queues(["work": 2])
    let done = DispatchSemaphore(value: 0)
    for number in 0..<2 {
      let thread = Thread {
        for item in 0..<6 {
          let time = Double(6 + (item * 5 + number * 3) % 9)
          let piece: Piece = number == 0 ? Load(time) : Decode(time)
          queues.add(piece, to: "work")
          queues.add(Scale(5), to: "work")
          piece.waitUntilFinished()
          rest(2)
        }
        done.signal()
      }
      thread.start()
    }
    for _ in 0..<2 { done.wait() }
    queues.waitUntilDone()
  },
  // Half of the work is called off while it runs.
  Shape(
    "cancel",
    ["--faster Load=2", "--limit work=1", "--limit work=4", "--faster Decode=2", "--limit work=3"]
  ) {
    let queues = Queues(["work": 2, "control": 1])
    let pieces = (0..<16).map { Decode(Double(8 + $0 * 5 % 11)) }
    queues.add(Load(30, after: { for piece in pieces.suffix(8) { piece.cancel() } }), to: "control")
    for piece in pieces { queues.add(piece, to: "work") }
    queues.waitUntilDone()
  },
  // What failed is tried again by the completion block.
  Shape(
    "retry",
    ["--limit net=1", "--limit net=6", "--faster Fetch=2", "--faster Store=4", "--limit disk=3"]
  ) {
    let queues = Queues(["net": 2, "disk": 1])
    let left = DispatchSemaphore(value: 0)
    @Sendable func attempt(_ item: Int, _ tries: Int) {
      let fetch = Fetch(Double(10 + (item * 7 + tries * 5) % 13))
      fetch.completionBlock = {
        if item % 3 == 0, tries < 2 {
          attempt(item, tries + 1)
        } else {
          queues.add(Store(6), to: "disk")
          left.signal()
        }
      }
      queues.add(fetch, to: "net")
    }
    for item in 0..<10 { attempt(item, 0) }
    for _ in 0..<10 { left.wait() }
    queues.waitUntilDone()
  },
  // A group of blocks beside operations, whose end adds the last stage.
  Shape(
    "notify",
    ["--limit work=1", "--limit work=4", "--faster Decode=2", "--faster Store=3", "--limit disk=3"]
  ) {
    let queues = Queues(["work": 2, "disk": 1])
    let group = DispatchGroup()
    let over = DispatchSemaphore(value: 0)
    for item in 0..<10 {
      group.enter()
      queues.add(Decode(Double(8 + item * 5 % 9), after: { group.leave() }), to: "work")
    }
    group.notify(queue: .global()) {
      for _ in 0..<5 { queues.add(Store(8), to: "disk") }
      over.signal()
    }
    over.wait()
    queues.waitUntilDone()
  },
  // Each result goes through the main queue.
  Shape(
    "main",
    ["--limit work=1", "--limit work=4", "--faster Load=2", "--faster Scale=2", "--faster Scale=0.5"]
  ) {
    let queues = Queues(["work": 2])
    let last = Join(1, after: { stopMainLoop() })
    for item in 0..<10 {
      let load = Load(Double(10 + item * 7 % 11))
      let show = Scale(4)
      show.follows(load)
      last.addDependency(show)
      queues.add(load, to: "work")
      OperationQueue.main.addOperation(show)
    }
    OperationQueue.main.addOperation(last)
    runMainLoop()
  },
  // A controller that gives the queue more slots while it works.
  Shape(
    "adaptive",
    ["--faster Decode=2", "--faster Load=2", "--faster Load=0.5", "--faster Store=2", "--limit disk=2"]
  ) {
    let queues = Queues(["work": 1, "disk": 1, "control": 1])
    for item in 0..<12 {
      let decode = Decode(Double(8 + item * 5 % 9))
      let store = Store(4)
      store.follows(decode)
      queues.add(decode, to: "work")
      queues.add(store, to: "disk")
    }
    queues.add(Load(25, after: { queues["work"].maxConcurrentOperationCount = 2 }), to: "control")
    queues.waitUntilDone()
  },
  // Operations that wait for a block: with more of them at once no thread is left for the blocks.
  waits("requests") {
    let answered = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      rest(15)
      answered.signal()
    }
    answered.wait()
  },
  // The same with a group of blocks, and with a timer.
  waits("batches", items: 12) {
    let group = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: group) { rest(10) } }
    group.wait()
  },
  waits("timers") {
    let due = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(60)) { due.signal() }
    due.wait()
  },
  // More work than threads, for so long that the pool grows.
  Shape(
    "growth",
    ["--limit work=3", "--limit work=8", "--faster Load=2", "--limit work=1 --faster Load=2", "--faster Load=4"]
  ) {
    let queues = Queues(["work": 5])
    for item in 0..<10 { queues.add(Load(Double(90 + item * 17 % 60)), to: "work") }
    queues.waitUntilDone()
  },
]

/// Operations of a queue with one slot, each of which ends with this wait.
private func waits(_ name: String, items: Int = 16, _ wait: @escaping @Sendable () -> Void) -> Shape {
  Shape(name, ["--limit net=2", "--limit net=4", "--limit net=8"]) {
    let queues = Queues(["net": 1])
    for item in 0..<items { queues.add(Load(Double(5 + item * 3 % 7), after: wait), to: "net") }
    queues.waitUntilDone()
  }
}
