import TestSupport

/// Services of which requests are slow for one reason, in microseconds.
enum ServiceFaults {
  /// Requests that call an actor, which computes for `held` microseconds each time.
  static func actor(held: Int, every gap: Int) -> ServiceTrace {
    var make = ServiceTrace()
    let connections = (0..<8).map { make.connection(10 + $0) }
    var free = 0
    for number in 0..<200 {
      let (time, id) = (20_000 + number * gap, connections[number % 8])
      make.resume(time, id)
      make.run(time + 5, id)
      make.suspend(time + 10, id, at: ["serve()", "price()", "touch()"], reason: 4)
      let begin = max(time + 12, free)
      make.add(time + 10, 2, "task-queued #\(id) actor=1 class=\"Cache\" by=#\(id)")
      make.run(begin, id, thread: 3)
      free = begin + held
      make.suspend(free, id, at: ["serve()", "next()"], thread: 3)
    }
    return make
  }

  static let recv = "object=0x800040000007 kind=call"
  static let lock = "object=0x7000 kind=mutex"

  /// Events of several threads, which are written in the order of time.
  struct Events {
    private var all: [(time: Int, make: (inout ServiceTrace) -> Void)] = []

    mutating func at(_ time: Int, _ make: @escaping (inout ServiceTrace) -> Void) { all.append((time, make)) }

    /// Begins a wait of a thread, and ends it.
    mutating func wait(
      _ from: Int, _ to: Int, _ id: Int, _ thread: Int, _ object: String, at stack: [String], behind: String? = nil
    ) {
      at(from) { make in
        make.add(from, thread, "blocked #\(id) \(object) age=0")
        make.add(from, thread, "at \(make.trace.stack(stack))")
      }
      at(to) { make in
        make.add(to, thread, "unblocked #\(id) \(object)")
        if let behind { make.add(to, thread, behind) }
      }
    }

    func add(to make: inout ServiceTrace) {
      for event in all.enumerated().sorted(by: { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }) {
        event.element.make(&make)
      }
    }
  }

  /// Requests on thread 3 that need a lock, which a job on thread 2 has for `held` microseconds from time to time, while it blocks.
  static func locked(held: Int) -> ServiceTrace {
    var make = ServiceTrace()
    make.add(5, 2, "object-named object=0x800040000007 \"recv from 127.0.0.1:5432\"")
    let connections = (0..<8).map { make.connection(10 + $0) }
    let job = make.task(50, "flush()")
    make.run(60, job)
    var events = Events()
    for number in 0..<20 {
      let begin = 20_000 + number * 50_000
      events.wait(begin, begin + held, job, 2, Self.recv, at: ["flush()", "store()"])
      for (place, id) in connections.enumerated() {
        let (time, first) = (begin + 10 + place, place == 0)
        let ready = first ? time + 1 : begin + held + 10 * place
        events.at(time) { $0.resume(time, id) }
        events.at(ready) { $0.run(ready, id, thread: 3) }
        if first {
          events.wait(
            ready + 1, begin + held + 1, id, 3, Self.lock, at: ["serve()", "count()"],
            behind: "signalled #0 \(Self.lock) age=0 thread=t2")
        }
        let end = max(ready, begin + held + 1) + 5
        events.at(end) { $0.suspend(end, id, at: ["serve()", "next()"], thread: 3) }
      }
    }
    events.add(to: &make)
    return make
  }
}
