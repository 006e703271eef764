import OpTraceFormat
package import OpTraceModel

/// One half of a deadlock: who holds the one and wants the other.
package struct OrderEdge: Sendable {
  package var held: OrderSide
  package var wanted: OrderSide
  /// How the one was taken, and the other.
  package var from: OrderRecord
  package var to: OrderRecord
  /// All that is held besides.
  var besides: [OrderSide]

  /// Whether two can be there at the same time: nothing that the one holds keeps the other out.
  func canMeet(_ other: OrderEdge) -> Bool {
    !besides.contains { mine in other.besides.contains { $0.excludes(mine) } }
  }
}

/// All orders of a trace in which both sides keep others out.
package struct OrderEdges: Sendable {
  package private(set) var all: [OrderEdge] = []

  package init(of trace: Trace) {
    let sides = OrderSides(trace)
    let uses = QueueUses(trace)
    let orders = Dictionary(trace.orders.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for order in trace.orders where order.isOrder && !order.isTimed && !order.sightings.isEmpty {
      let chain = Self.chain(order, orders)
      let held = chain.compactMap { one in sides.held(one).map { (one, $0) } }
      let besides = held.map(\.1)
      for wanted in sides.wanted(order)
      where !besides.contains(where: { $0.thing == wanted.thing }) && !uses.areOver(order, wanted) {
        for (from, side) in held {
          all.append(OrderEdge(held: side, wanted: wanted, from: from, to: order, besides: besides))
        }
      }
    }
  }

  /// What leads to an order, the innermost first. Numbers only grow along a way, so it has an end.
  private static func chain(_ order: OrderRecord, _ orders: [Int: OrderRecord]) -> [OrderRecord] {
    let most = 64
    var chain: [OrderRecord] = []
    var next = order.outer
    while let id = next, let one = orders[id], chain.count < most {
      chain.append(one)
      next = one.outer
    }
    return chain
  }
}

/// Who used which dispatch queue last.
private struct QueueUses {
  private let trace: Trace
  private let submissions: [DispatchQueueID: [Stamp]]

  init(_ trace: Trace) {
    self.trace = trace
    var submissions: [DispatchQueueID: [Stamp]] = [:]
    for block in trace.blocks {
      if let queue = block.queue, let submitted = block.submitted { submissions[queue, default: []].append(submitted) }
    }
    self.submissions = submissions
  }

  /// Whether a queue was wanted while an object was destroyed, and nobody else has used it since: whoever used it had a reference to that
  /// object, so all of them had ended. A database that closes its connections in `deinit` does so.
  func areOver(_ order: OrderRecord, _ wanted: OrderSide) -> Bool {
    guard case .queue(let id) = wanted.thing else { return false }
    return order.sightings.allSatisfy { sighting in
      isInDeinit(sighting.at)
        && submissions[id, default: []].allSatisfy { $0.time <= sighting.time || $0.thread == sighting.thread }
    }
  }

  private func isInDeinit(_ frame: FrameID?) -> Bool {
    trace.stacks.stack(frame).contains { one in
      trace.stacks.isOwn(one) && trace.stacks.function(of: one)?.function.hasSuffix("deinit") == true
    }
  }
}
