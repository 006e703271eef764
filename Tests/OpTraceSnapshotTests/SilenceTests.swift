#if os(Linux)
  import COpTrace
  import Foundation
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  @Suite("How long nothing has moved", .ownThread) struct SilenceTests {
    /// Those that this thread may use.
    private var processors: optrace_processors {
      var all = optrace_processors()
      #expect(optrace_processors_get(&all))
      return all
    }

    private func use(_ some: optrace_processors) {
      var some = some
      #expect(optrace_processors_set(&some))
    }

    private static func numbers(_ some: optrace_processors) -> [UInt32] {
      var some = some
      return (0..<UInt32(optrace_most_processors)).filter { optrace_processors_has(&some, $0) }
    }

    @Test("it is no longer than since the program has last run, on whichever processor that was") func clocks() throws {
      let all = processors
      defer { use(all) }
      let pairs = Self.numbers(all).flatMap { one in Self.numbers(all).map { (one, $0) } }
      for (number, own) in pairs {
        let program = try RunningProgram(
          URL(fileURLWithPath: "/usr/bin/taskset"), ["-c", "\(number)", "/bin/cat"], input: .pipe)
        defer { program.kill() }
        use(optrace_processors_one(own))
        for _ in 0..<3 {
          let began = ContinuousClock.now
          try program.tell("a line\n")
          #expect(program.line() == "a line")
          let snapshot = try Snapshot.taken(of: LiveMemory(UInt32(program.processID)))
          let passed = began.duration(to: .now)
          #expect(snapshot.isStill && .nanoseconds(snapshot.silence) <= passed, "processor \(number), from \(own)")
          // A look leaves the thread where it was.
          #expect(Self.numbers(processors) == [own])
        }
        use(all)
      }
    }

    /// A thread that sleeps, and has had a processor so often.
    private func thread(_ id: UInt32, times: UInt64 = 1) -> ThreadState {
      var thread = ThreadState(id: id)
      thread.runs = .init(times: times, time: 1)
      thread.registers = .init(pc: 0x10, sp: 0x20)
      return thread
    }

    private func look(_ process: MadeProcess) throws -> Look {
      try Look(process, isLive: true, try ObjectFinder(MemoryView(process)), RoleNames())
    }

    @Test("a look is of one moment only if threads and mappings are the same before and after") func moments() throws {
      let one = MadeMemory.mapping(0x1000, 0x2000)
      let two = [one, MadeMemory.mapping(0x4000, 0x5000)]
      #expect(try look(MadeProcess([[thread(1)]], [[one]])).isStill)
      // One that ran, one that began, one that ended, and memory that came meanwhile.
      #expect(try !look(MadeProcess([[thread(1)], [thread(1, times: 2)]], [[one]])).isStill)
      let more = try look(MadeProcess([[thread(1)], [thread(1), thread(2)]], [[one]]))
      #expect(more.threads.map(\.isStill) == [false])
      #expect(try !look(MadeProcess([[thread(1), thread(2)], [thread(1)]], [[one]])).isStill)
      #expect(try !look(MadeProcess([[thread(1)]], [[one], two])).isStill)
    }

    @Test("what moves is looked at twice at least, and what is mapped at each look") func twice() throws {
      let process = MadeProcess((1...99).map { [thread(1, times: $0)] }, [[]])
      let snapshot = try Snapshot.watched(process, patience: .zero)
      #expect(snapshot.looks == 2 && !snapshot.isStill)
      #expect(snapshot.quiet < snapshot.watched)
      let rests = MadeProcess([[thread(1)]], [[]])
      let still = try Snapshot.watched(rests, patience: .zero)
      #expect(still.looks == 1 && still.isStill && still.clock == nil)
    }

    @Test("time is counted from the last look before which a thread has run") func quiet() {
      func seen(_ times: UInt64?, isStill: Bool = true) -> SeenThread {
        var state = thread(1)
        state.runs = times.map { .init(times: $0, time: 1) }
        return SeenThread(state: state, isStill: isStill)
      }
      let start = ContinuousClock.now
      func time(_ looks: [SeenThread?]) -> Int {
        var quiet = Quiet(since: start)
        for (index, one) in looks.enumerated() { quiet.saw([one].compactMap(\.self), from: start + .seconds(index)) }
        return Int(start.duration(to: quiet.since) / .seconds(1))
      }
      #expect(time([seen(1), seen(1), seen(1)]) == 0 && time([seen(1), seen(2), seen(2)]) == 1)
      #expect(time([seen(1), seen(1), seen(2)]) == 2 && time([seen(1), seen(1, isStill: false)]) == 1)
      #expect(time([seen(nil), seen(nil)]) == 1 && time([seen(1), nil, nil]) == 1)
    }

    @Test("a clock knows of no thread whose processor, or last run, is not known") func unknown() {
      var one = thread(1)
      #expect(SchedulerClock(for: [one]) == nil)
      (one.processor, one.lastRan) = (0, 1)
      var other = one
      other.lastRan = nil
      #expect(SchedulerClock(for: [one, other]) == nil)
      other.lastRan = UInt64.max
      #expect(SchedulerClock(for: [other]) == nil)
      other = one
      other.processor = UInt32(optrace_most_processors)
      #expect(SchedulerClock(for: [other]) == nil)
    }
  }

  /// A process written down as values: its threads each time that they are asked for, and its mappings. The last ones stay.
  final class MadeProcess: ProcessMemory, @unchecked Sendable {
    let processID: UInt32 = 77
    let machine = MadeMemory().machine
    private var states: [[ThreadState]]
    private var lists: [[MemoryMapping]]

    init(_ states: [[ThreadState]], _ lists: [[MemoryMapping]]) { (self.states, self.lists) = (states, lists) }

    var mappings: [MemoryMapping] { lists.first ?? [] }
    func again() -> any ProcessMemory {
      MadeProcess(states, lists.count > 1 ? Array(lists.dropFirst()) : lists)
    }
    func threads() -> [ThreadState] { states.count > 1 ? states.removeFirst() : states.first ?? [] }
    func fill(_ target: UnsafeMutableRawBufferPointer, from address: UInt64) -> Int { 0 }
    func file(of mapping: MemoryMapping) -> ImageFile? { nil }
  }
#endif
