import OpTraceKernel
package import OpTraceModel

/// How long units of a kind took: the figures for places without room for causes.
package struct RequestFigures: Sendable, Equatable {
  package var name: String
  /// Where the kind's code is; nil: not known.
  package var location: CodeLocation?
  package var count: Int
  /// Finished units per second.
  package var perSecond: Double
  package var p50: Nanoseconds
  package var p95: Nanoseconds
  package var p99: Nanoseconds
  package var max: Nanoseconds
  package var failed: Int
}

/// How an event loop was used.
package struct LoopFigures: Sendable, Equatable {
  package var name: String
  package var thread: ThreadID
  /// Turns that ended.
  package var turns: Int
  /// The share of time that it spent in turns, 0 to 1.
  package var busy: Double
  package var longest: Nanoseconds
  /// The number of turns of 10 ms or more, and the time in them.
  package var longTurns: Int
  package var longTime: Nanoseconds
  /// What long turns mostly ran or waited in; nil: not known.
  package var mostly: CodeLocation?
}

/// How an actor was used.
package struct ActorFigures: Sendable, Equatable {
  /// `actor ProductCache 1`.
  package var title: String
  package var className: String
  /// The share of time in which it was held, 0 to 1.
  package var used: Double
  package var waits: Int
  package var p50Wait: Nanoseconds
  package var p99Wait: Nanoseconds
  /// The largest number of tasks that waited at once.
  package var deepest: Int
  /// The location that held it for most of the time; nil: not known.
  package var holder: CodeLocation?
}

extension RequestKind {
  package var figures: RequestFigures {
    RequestFigures(
      name: name, location: location, count: count, perSecond: perSecond, p50: p50, p95: p95, p99: p99, max: max,
      failed: failed)
  }
}

extension Requests {
  /// In the order of ``loops``.
  package var loopFigures: [LoopFigures] {
    loops.map { loop in
      LoopFigures(
        name: loop.name, thread: loop.thread, turns: loop.turns, busy: loop.utilisation, longest: loop.longest,
        longTurns: loop.long.count, longTime: loop.longTime, mostly: loop.mostly.flatMap { location($0.location) })
    }
  }

  /// In the order of ``actors``.
  package var actorFigures: [ActorFigures] {
    actors.map { one in
      let waits = one.waiting
      return ActorFigures(
        title: one.actor.title, className: one.actor.className, used: one.utilisation, waits: waits.count,
        p50Wait: waits.median, p99Wait: waits.p99, deepest: one.deepest, holder: one.holder.flatMap(location))
    }
  }

  private func location(_ index: Int32) -> CodeLocation? { index < 0 ? nil : locations[Int(index)] }
}
