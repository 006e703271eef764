import Foundation

/// Shapes that the model was built with.
let knownShapes: [Shape] = [
  // Each item is decoded, then stored.
  Shape(
    "fan",
    [
      "--limit work=6",
      "--limit work=1",
      "--faster Decode=2",
      "--limit disk=4",
      "--merge disk=work",
    ]
  ) {
    let queues = Queues(["work": 3, "disk": 1])
    for item in 0..<24 {
      let decode = Decode(Double(8 + item * 7 % 13))
      let store = Store(3)
      store.follows(decode)
      queues.add(store, to: "disk")
      queues.add(decode, to: "work")
    }
    queues.waitUntilDone()
  },
  // Three stages, each with its queue.
  Shape(
    "pipeline",
    [
      "--limit net=4",
      "--faster Decode=3",
      "--limit work=unlimited",
      "--move Store=net",
      "--limit net=1 --faster Store=2",
    ]
  ) {
    let queues = Queues(["net": 2, "work": 2, "disk": 1])
    for item in 0..<12 {
      let load = Load(Double(10 + item * 5 % 11))
      let decode = Decode(Double(14 + item * 3 % 17))
      let store = Store(6)
      decode.follows(load)
      store.follows(decode)
      queues.add(load, to: "net")
      queues.add(decode, to: "work")
      queues.add(store, to: "disk")
    }
    queues.waitUntilDone()
  },
  // Rows, each operation waits for two of the row before.
  Shape(
    "layers",
    [
      "--limit work=1",
      "--limit work=4",
      "--without Decode>Scale",
      "--merge disk=work",
      "--faster Scale=4",
    ]
  ) {
    let queues = Queues(["work": 2, "disk": 2])
    var row: [Piece] = []
    for layer in 0..<6 {
      let next: [Piece] = (0..<5).map { index in
        let time = Double(5 + (layer * 7 + index * 11) % 15)
        let piece: Piece = index % 2 == 0 ? Decode(time) : Scale(time)
        if !row.isEmpty {
          piece.follows(row[index])
          piece.follows(row[(index + 2) % 5])
        }
        return piece
      }
      for (index, piece) in next.enumerated() { queues.add(piece, to: index % 2 == 0 ? "work" : "disk") }
      row = next
    }
    queues.waitUntilDone()
  },
  // Operations without a thread, and what is done with their results.
  Shape(
    "network",
    [
      "--limit net=1",
      "--limit net=8",
      "--faster Fetch=2",
      "--limit work=3",
      "--faster Decode=7",
    ]
  ) {
    let queues = Queues(["net": 3, "work": 1])
    for item in 0..<15 {
      let fetch = Fetch(Double(20 + item * 13 % 31))
      let decode = Decode(7)
      decode.follows(fetch)
      queues.add(fetch, to: "net")
      queues.add(decode, to: "work")
    }
    queues.waitUntilDone()
  },
  // Bodies that add operations to another queue and wait for them.
  Shape(
    "nested",
    [
      "--limit outer=1",
      "--limit outer=4",
      "--faster Load=2",
      "--limit inner=1",
      "--faster Join=3",
    ]
  ) {
    let queues = Queues(["outer": 2, "inner": 2])
    for item in 0..<8 {
      queues.add(
        Join(
          3,
          before: {
            let inner = Load(Double(10 + item * 7 % 12))
            queues.add(inner, to: "inner")
            rest(Knobs.shared.milliseconds("Join", 4))
          }), to: "outer")
    }
    queues.waitUntilDone()
  },
  // Completion blocks add what comes next.
  Shape(
    "completion",
    [
      "--limit work=1",
      "--limit work=5",
      "--faster Load=2",
      "--faster Store=5",
      "--merge disk=work",
    ]
  ) {
    let queues = Queues(["work": 2, "disk": 1])
    let group = DispatchGroup()
    for item in 0..<10 {
      let load = Load(Double(12 + item * 5 % 9))
      group.enter()
      load.completionBlock = {
        queues.add(Store(5), to: "disk")
        group.leave()
      }
      queues.add(load, to: "work")
    }
    queues["work"].waitUntilAllOperationsAreFinished()
    group.wait()
    queues.waitUntilDone()
  },
  // Two classes compete for slots.
  Shape(
    "priorities",
    [
      "--limit work=1",
      "--priority Scale=veryHigh",
      "--priority Store=veryHigh",
      "--faster Decode=2",
      "--limit work=4",
    ]
  ) {
    let queues = Queues(["work": 2])
    for item in 0..<20 {
      let piece: Piece = item % 3 == 0 ? Scale(Double(6 + item % 5)) : Decode(Double(9 + item * 3 % 7))
      if item % 3 == 0 { piece.queuePriority = Knobs.shared.priority("Scale", .low) }
      queues.add(piece, to: "work")
    }
    let last = Store(30)
    queues.add(last, to: "work")
    queues.waitUntilDone()
  },
  // A barrier between groups.
  Shape(
    "barriers",
    [
      "--limit work=1",
      "--limit work=4",
      "--faster Decode=2",
      "--limit work=unlimited",
      "--limit work=3",
    ]
  ) {
    let queues = Queues(["work": 2])
    for round in 0..<4 {
      for item in 0..<4 { queues.add(Decode(Double(5 + (round * 3 + item * 5) % 11)), to: "work") }
      queues["work"].addBarrierBlock { rest(4) }
    }
    queues.waitUntilDone()
  },
  // The main thread produces at its own pace, and waits in between.
  Shape(
    "producer",
    [
      "--limit work=1",
      "--limit work=4",
      "--faster Decode=3",
      "--faster Decode=0.5",
      "--limit work=3",
    ]
  ) {
    let queues = Queues(["work": 2])
    for item in 0..<20 {
      let piece = Decode(Double(6 + item * 5 % 9))
      queues.add(piece, to: "work")
      rest(2)
      if item % 5 == 4 { piece.waitUntilFinished() }
    }
    queues.waitUntilDone()
  },
  // Consumers wait for signals of producers.
  Shape(
    "semaphores",
    [
      "--limit makers=2",
      "--faster Load=2",
      "--faster Store=2",
      "--limit takers=2",
      "--faster Load=0.5",
    ]
  ) {
    let queues = Queues(["makers": 1, "takers": 1])
    let goods = DispatchSemaphore(value: 0)
    for item in 0..<8 {
      queues.add(Store(5, before: { goods.wait() }), to: "takers")
      queues.add(Load(Double(12 + item * 5 % 7), after: { goods.signal() }), to: "makers")
    }
    queues.waitUntilDone()
  },
]
