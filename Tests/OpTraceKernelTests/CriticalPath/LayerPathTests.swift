import OpTraceKernel
import OpTraceModel
import TestSupport
import Testing

@Suite("Critical path through blocks and tasks") struct LayerPathTests {
  /// Times of lines and steps in microseconds.
  private func path(_ lines: String, end: Int? = nil) throws -> CriticalPath {
    var typed = TypedTrace()
    typed.heartbeat = end.map { $0 * 1000 }
    typed.isClosed = end == nil
    let queues = """
      0 t0 dispatch-queue d1 width=1 "disk"
      0 t0 dispatch-queue d2 width=0 target=d1 "above"
      0 t0 dispatch-queue d3 width=0 "wide"

      """
    let path = CriticalPath(
      of: TraceBuilder.build(try TraceText.parse(typed.text(queues + lines, in: .microseconds))))
    LayerPathTests.expectTiles(path)
    return path
  }

  static func expectTiles(_ path: CriticalPath, _ comment: Comment? = nil) {
    for (step, next) in zip(path.steps, path.steps.dropFirst()) { #expect(step.ended == next.began, comment) }
    for step in path.steps {
      #expect(step.waitingForDependencies >= 0 && step.waitingForSlot >= 0 && step.running >= 0, comment)
      let waited = step.waitingForDependencies + step.waitingForSlot + step.waitingForThread
      #expect(waited + step.running == step.duration, comment)
    }
    #expect(path.steps.first?.cause ?? .start == .start, comment)
  }

  /// `#2 100-300 d0 s50 t20 r130 slot #1`: the work, its begin and end, its times, and the cause.
  private func texts(_ path: CriticalPath) -> [String] {
    path.steps.map { step in
      let thread = step.waitingForThread > 0 ? " t\(step.waitingForThread / 1000)" : ""
      let times = [step.waitingForDependencies, step.waitingForSlot, step.running].map { $0 / 1000 }
      let cause =
        switch step.cause {
        case .start: "start"
        case .dependency(let id): "dependency \(id)"
        case .slot(let id): "slot \(id)"
        case .submission(let id): "submission \(id)"
        case .signal(let id): "signal \(id)"
        }
      return
        "\(step.work) \(step.began / 1000)-\(step.ended / 1000) d\(times[0]) s\(times[1])\(thread) r\(times[2]) \(cause)"
    }
  }

  private static let upload = """
    1 t1 queue q1 limit=-1 "uploads"
    10 t1 created #1 class="Upload" async
    20 t1 enqueued #1 queue=q1
    21 t1 ready #1
    30 t2 started #1
    31 t2 began #1

    """

  @Test func pathGoesThroughTheBlockThatFinishesAnOperation() throws {
    let path = try path(
      Self.upload + """
        40 t2 submitted #2 by=#1 queue=d1
        41 t2 start-returned #1
        100 t3 run #2
        150 t3 submitted #3 by=#2 queue=d3
        160 t3 ran #2
        200 t4 run #3
        290 t4 finished #1
        300 t4 ran #3

        """)
    #expect(
      texts(path) == [
        "#1 20-40 d1 s0 t10 r9 start", "#2 40-150 d0 s60 r50 submission #1", "#3 150-290 d0 s50 r90 submission #2",
        "#1 290-290 d0 s0 r0 signal #3",
      ])
    #expect(path.works.map(\.rawValue) == [1, 2, 3, 1])
  }

  @Test func finishByAnUnrelatedBlockIsNoStep() throws {
    let path = try path(
      Self.upload + """
        41 t2 start-returned #1
        100 t3 submitted #2 queue=d1
        101 t3 run #2
        290 t3 finished #1
        300 t3 ran #2

        """)
    #expect(texts(path) == ["#1 20-290 d1 s0 t10 r259 start"])
  }

  @Test func pathGoesThroughTheTurnsOfASerialQueue() throws {
    // d2 hands its blocks to d1.
    let path = try path(
      Self.upload + """
        32 t1 submitted #2 queue=d1
        33 t3 run #2
        40 t2 submitted #3 by=#1 queue=d2
        41 t2 start-returned #1
        200 t3 ran #2
        210 t3 run #3
        250 t3 finished #1
        260 t3 ran #3

        """)
    #expect(
      texts(path) == ["#2 32-200 d0 s1 r167 start", "#3 200-250 d0 s10 r40 slot #2", "#1 250-250 d0 s0 r0 signal #3"])
  }

  @Test func barrierBlockWaitsForAllBeforeIt() throws {
    let path = try path(
      """
      10 t1 submitted #1 queue=d3
      11 t2 run #1
      12 t1 submitted #2 queue=d3
      13 t3 run #2
      20 t1 submitted #3 queue=d3 how=1
      30 t2 ran #1
      90 t3 ran #2
      91 t3 run #3
      100 t3 ran #3

      """)
    #expect(texts(path) == ["#2 12-90 d0 s1 r77 start", "#3 90-100 d0 s1 r9 slot #2"])
  }

  @Test func syncCountsAsTheBlocksTime() throws {
    let path = try path(
      """
      10 t1 submitted #1 queue=d3
      20 t2 run #1
      30 t2 submitted #2 by=#1 queue=d1 how=4
      50 t2 run #2
      80 t2 ran #2
      100 t2 ran #1

      """)
    #expect(
      texts(path) == [
        "#1 10-30 d0 s10 r10 start", "#2 30-80 d0 s20 r30 submission #1", "#1 80-100 d0 s0 r20 dependency #2",
      ])
  }

  @Test func pathGoesThroughTheAwaitedTask() throws {
    let path = try path(
      """
      0 t1 task #1
      0 t1 task-run #1
      10 t1 task #2 by=#1 how=3 enqueued
      20 t1 task-suspended #1 reason=1 for=#2
      30 t2 task-run #2
      100 t2 task-enqueued #1 by=#2
      101 t2 task-completed #2
      120 t1 task-run #1
      150 t1 task-completed #1

      """)
    #expect(
      texts(path) == [
        "#1 0-10 d0 s0 r10 start", "#2 10-101 d0 s20 r71 submission #1", "#1 101-150 d0 s19 r30 dependency #2",
      ])
  }

  @Test func sleepBelongsToTheTask() throws {
    let path = try path(
      """
      0 t1 task #1 enqueued
      5 t1 task-run #1
      20 t1 task-suspended #1 reason=5
      100 t2 task-enqueued #1
      120 t1 task-run #1
      150 t1 task-suspended #1 reason=4
      170 t1 task-run #1
      180 t1 task-completed #1

      """)
    #expect(texts(path) == ["#1 0-180 d80 s45 r55 start"])
  }

  @Test func pathGoesThroughTheResumer() throws {
    let path = try path(
      """
      0 t1 task #1
      0 t1 task-run #1
      10 t1 submitted #2 by=#1 queue=d1
      20 t1 task-suspended #1 reason=2
      60 t2 run #2
      90 t2 task-enqueued #1 by=#2
      100 t2 ran #2
      110 t1 task-run #1
      130 t1 task-completed #1

      """)
    #expect(
      texts(path) == [
        "#1 0-10 d0 s0 r10 start", "#2 10-90 d0 s50 r30 submission #1", "#1 90-130 d0 s20 r20 signal #2",
      ])
  }

  @Test func unfinishedWorkLeadsToWhatItWaitsFor() throws {
    let path = try path(
      Self.upload + """
        40 t2 task #2 by=#1 enqueued
        41 t2 start-returned #1
        60 t3 task-run #2
        80 t3 task-suspended #2 reason=2

        """, end: 1000)
    #expect(
      texts(path) == [
        "#1 20-40 d1 s0 t10 r9 start", "#2 40-1000 d920 s20 r20 submission #1", "#1 1000-1000 d0 s0 r0 dependency #2",
      ])
  }

  @Test func workBeforeTheFirstOperationIsLeftOut() throws {
    let path = try path(
      """
      0 t1 task #9
      0 t1 task-run #9
      10 t1 queue q1 limit=-1 "uploads"
      20 t1 created #1 class="Upload"
      30 t1 enqueued #1 queue=q1
      31 t1 ready #1
      40 t2 started #1
      41 t2 began #1
      60 t2 ended #1
      61 t2 finished #1
      70 t1 created #2 class="Upload"
      80 t1 enqueued #2 queue=q1
      81 t1 ready #2
      90 t2 started #2
      91 t2 began #2
      99 t2 ended #2
      100 t2 finished #2
      110 t1 task-completed #9

      """)
    #expect(texts(path) == ["#9 30-80 d0 s0 r50 start", "#2 80-100 d1 s0 t10 r9 submission #9"])
    #expect(path.wall == 70_000 && path.span == 70_000)
  }

  @Test func cyclesInADamagedTraceTerminate() throws {
    let path = try path(
      """
      10 t1 submitted #1 by=#2 queue=d1
      10 t1 submitted #2 by=#1 queue=d2
      20 t2 run #1
      20 t3 run #2
      30 t2 ran #1
      30 t3 ran #2

      """)
    #expect(path.steps.count <= 4)
  }

  /// In an eager machine with a thread for each work, a program that awaits all it started works at every moment: the
  /// running time of the path is the whole run, through queues, `sync`, child tasks and continuations.
  @Test func pathCoversEveryMomentOfAnEagerRun() throws {
    for seed in 0..<400 {
      let machine = EagerMachine(seed: seed)
      let trace = TraceBuilder.build(try TraceText.parse(machine.text))
      let path = CriticalPath(of: trace)
      Self.expectTiles(path, "seed \(seed)")
      #expect(
        path.wall > 0 && (0...Nanoseconds(machine.eventCount)).contains(path.wall - path.total),
        "seed \(seed)\n\(texts(path))\n\(machine.text)")
      #expect(path.steps.last?.work == WorkID(1), "seed \(seed)")
    }
  }
}
