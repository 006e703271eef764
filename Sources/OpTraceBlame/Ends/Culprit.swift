package import OpTraceKernel

/// What waiting is to be blamed on: the last thing on the way to an end that somebody could give up or make faster.
package enum Culprit: Hashable, Sendable {
  /// Code on a processor, where nothing but a processor or a thread was waited for: the location of its function, and of the one that
  /// called it, -1: not known.
  case code(Int32, caller: Int32)
  /// A call that blocked its thread: its name, such as `recv`, and where.
  case call(String, Int32)
  /// A wait for a signal of a semaphore, a group or a condition, which blocked its thread. Where.
  case signal(Int32)
  /// A lock, by its name.
  case lock(String)
  /// An actor, by its title.
  case actor(String)
  /// The turns of an executor that the program brings along. The location of the function in which they are waited for.
  case executor(Int32)
  /// Work on the main thread. A location.
  case main(Int32)
  /// An event loop in a long turn, by its name.
  case loop(String)
  /// Things that tasks hand on by continuations. The location of the function in which they are waited for.
  case pool(Int32)
  /// The slots of an operation queue, by its title.
  case slots(String)
  /// The turns of a dispatch queue, by its title.
  case queue(String)
  /// Something outside of the program. Where it was waited for.
  case outside(Int32)
  /// Time that had to pass. Where it was waited for.
  case time(Int32)
  /// The machine had no processor, or a thread was free and not yet used.
  case machine
  case unknown

  package var isMain: Bool { if case .main = self { true } else { false } }

  /// Whether somebody has it while others wait for it, and where it ends is another question.
  package var isHeld: Bool {
    switch self {
    case .lock, .actor, .main, .loop, .pool, .slots, .queue: true
    case .code, .call, .signal, .executor, .outside, .time, .machine, .unknown: false
    }
  }

  /// The word in JSON and tables.
  package var word: String {
    switch self {
    case .code: "code"
    case .call: "call"
    case .signal: "signal"
    case .lock: "lock"
    case .actor: "actor"
    case .main: "main"
    case .executor: "executor"
    case .loop: "loop"
    case .pool: "pool"
    case .slots: "slots"
    case .queue: "queue"
    case .outside: "outside"
    case .time: "time"
    case .machine: "machine"
    case .unknown: "unknown"
    }
  }

  /// Its name: of the call, the lock, the actor, the loop, the queue; nil: it has a location or nothing.
  package var name: String? {
    switch self {
    case .call(let name, _), .lock(let name), .actor(let name), .loop(let name), .slots(let name), .queue(let name):
      name
    case .code, .signal, .main, .executor, .pool, .outside, .time, .machine, .unknown: nil
    }
  }

  /// A location that it has itself; nil: it has a name, or nothing.
  package var location: Int32? {
    switch self {
    case .code(let location, caller: _), .call(_, let location), .signal(let location), .main(let location),
      .executor(let location), .pool(let location),
      .outside(let location), .time(let location):
      location
    case .lock, .actor, .loop, .slots, .queue, .machine, .unknown: nil
    }
  }
}

extension Blame where Source == TraceStrands {
  /// What a share of the time is to be blamed on. O(hops).
  package static func culprit(of share: Share, _ code: ProgramCode) -> Culprit {
    if share.end.isEndless { return .unknown }
    // Who waits for its child, its submitter or a dependency waits for what these do.
    guard let last = share.hops.last(where: { !$0.resource.kind.isStructure })?.resource else {
      return ofEnd(share.end)
    }
    switch (last.kind, share.end.kind) {
    case (.lock, _): return .lock(last.name)
    case (.signal, _): return .signal(last.location)
    case (.actor, _): return .actor(last.name)
    case (.loop, _): return .loop(last.name)
    case (.executor, _): return .executor(code.wholeFunction(last.location))
    case (.slot, _): return .slots(last.name)
    case (.queue, _): return .queue(last.name)
    case (.main, .code), (.main, .call): return .main(share.end.location)
    case (_, .call): return .call(share.end.verb, share.end.location)
    case (.continuation, .unknown) where ![BlameEnd.givenBack, BlameEnd.hadByOthers].contains(share.end.name):
      return .unknown
    case (.continuation, _): return .pool(code.wholeFunction(last.location))
    case (.thread, .code): return ofEnd(share.end)
    // A thread was free, or did nothing that is known.
    case (.thread, .unknown), (.main, _): return .unknown
    case (.thread, _): return .machine
    case (.child, _), (.submission, _), (.dependency, _): return ofEnd(share.end)
    }
  }

  private static func ofEnd(_ end: BlameEnd) -> Culprit {
    switch end.kind {
    case .code: .code(end.location, caller: end.caller)
    case .call: .call(end.verb, end.location)
    case .sleep: .time(end.location)
    case .outside: .outside(end.location)
    case .machine: .machine
    case .unknown: .unknown
    }
  }
}

extension BlameResource.Kind {
  /// Whether it is how work is built up, and nothing that others could have at the same time.
  package var isStructure: Bool { self == .child || self == .submission || self == .dependency }
}

extension BlameEnd {
  /// `recv` of `recv from 10.0.0.1:5432`: the other words differ from peer to peer.
  fileprivate var verb: String { String(name.prefix { $0 != " " }) }
}
