import OpTraceKernel
import OpTraceSamples
import OpTraceModel
import TestSupport
import Testing

@Suite("Time off the processor")
struct OffProcessorTests {
  /// An operation waits for a semaphore from 10 to 20 ms; a task is suspended from 30 to 70 ms, and sleeps until 60 ms.
  private func trace() throws -> Trace {
    var trace = SampledTrace()
    trace.unit = .milliseconds
    let waiting = trace.stack(["libc.so.6!start_thread", "Load.main()", "libdispatch.so!semaphore_wait"])
    let sleeping = trace.stack(["upload()", "pause()"])
    for line in [
      "1 t1 queue q1 limit=1 \"work\"", "1 t1 created #1 class=\"Load\"", "1 t1 enqueued #1 queue=q1 priority=0",
      "1 t1 ready #1", "5 t2 started #1", "5 t2 began #1", "20 t2 blocked #1 object=0x10 kind=semaphore age=625000",
      "20 t2 at \(waiting)", "20 t2 unblocked #1 object=0x10 kind=semaphore", "20 t2 at \(waiting)", "25 t2 ended #1",
      "25 t2 finished #1", "25 t2 start-returned #1", "26 t1 task #2 enqueued", "28 t3 task-run #2",
      "30 t3 task-suspended #2 reason=5", "30 t3 at \(sleeping)", "60 t3 task-enqueued #2", "70 t2 task-run #2",
      "75 t2 task-completed #2",
    ] { trace.add(line) }
    return TraceBuilder.build(try TraceText.parse(trace.text))
  }

  private func lines(_ profile: Profile) -> [String] {
    zip(profile.samples, profile.ownerOfSamples).map { sample, owner in
      let names = profile.stacks[sample.stack].frames.map { profile.functions[profile.frames[$0].function].name }
      return "\(profile.owners[owner].kind) \(sample.weight / 1_000_000): " + names.joined(separator: ";")
    }
  }

  @Test("waits and suspensions become samples, with the reason as the outermost frame")
  func everything() throws {
    let profile = Profile(offProcessorOf: try trace())
    #expect(
      lines(profile) == [
        "operation 10: waits for a semaphore;Load.main();semaphore_wait", "task 2: waits for a thread;[no stack]",
        "task 30: sleeps;upload();pause()", "task 10: waits for a thread;upload();pause()",
      ])
    #expect(profile.period == 0 && profile.facts.isOffProcessor && profile.total == 52_000_000)
    #expect(
      profile.functions.filter(\.isReason).map(\.name).sorted() == [
        "sleeps", "waits for a semaphore", "waits for a thread",
      ])
    let reasons = profile.groupRows(by: .reason)
    #expect(
      reasons.map(\.name) == [.reason("sleeps"), .reason("waits for a thread"), .reason("waits for a semaphore")])
    #expect(reasons.map(\.weight) == [30_000_000, 12_000_000, 10_000_000])
    #expect(!profile.functionRows().contains { profile.functions[$0.function].isReason })
  }

  @Test("a selection by time, duration, queue or work keeps only its part")
  func part() throws {
    var selection = Profile.Selection()
    (selection.from, selection.to) = (15_000_000, 40_000_000)
    #expect(
      lines(Profile(offProcessorOf: try trace(), selection: selection)) == [
        "operation 5: waits for a semaphore;Load.main();semaphore_wait", "task 2: waits for a thread;[no stack]",
        "task 10: sleeps;upload();pause()",
      ])
    selection = Profile.Selection()
    selection.minimumDuration = 11_000_000
    #expect(lines(Profile(offProcessorOf: try trace(), selection: selection)) == ["task 30: sleeps;upload();pause()"])
    selection = Profile.Selection()
    selection.queues = [.queue(QueueID(1))]
    #expect(Profile(offProcessorOf: try trace(), selection: selection).samples.map(\.work) == [WorkID(1)])
    selection = Profile.Selection()
    selection.works = [WorkID(2)]
    #expect(Profile(offProcessorOf: try trace(), selection: selection).total == 42_000_000)
  }

  @Test("a wait inside another wait is not counted twice")
  func nested() throws {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    let operation = make.operation("load", on: queue, began: 0.0, ended: 50.0)
    func wait(_ target: WaitRecord.Target, _ began: Double, _ ended: Double, thread: UInt32 = 1) -> WaitRecord {
      WaitRecord(
        target: target, thread: ThreadID(thread), inside: nil, began: HandmadeTrace.nanoseconds(began),
        ended: HandmadeTrace.nanoseconds(ended))
    }
    make.trace.waits = [
      wait(.queue(queue), 10, 60), wait(.operation(operation), 10, 50), wait(.operation(operation), 20, 40, thread: 3),
      wait(.queue(queue), 60, 70), wait(.operation(operation), 65, 80),
    ]
    let profile = Profile(offProcessorOf: make.trace)
    #expect(profile.samples.map { $0.weight / 1_000_000 } == [50, 20, 10, 15])
    #expect(
      profile.groupRows(by: .reason).map(\.name) == [
        .reason("waits for an operation queue"), .reason("waits for an operation"),
      ])
  }

  @Test("a task's waits add up to the time that it did not run", arguments: 0..<40)
  func tasks(seed: Int) throws {
    var random = SeededGenerator(seed)
    let trace = try RandomTasks.trace(&random)
    let profile = Profile(offProcessorOf: trace)
    for task in trace.tasks {
      let times = TaskTimes(of: task, traceEnd: trace.end)
      let sum = profile.samples.filter { $0.work == task.id }.reduce(0) { $0 + $1.weight }
      // Waits of threads are part of runs; random traces have no such waits.
      guard task.submitted != nil || task.enqueued != nil else { continue }
      #expect(sum == times.turn + times.suspended.values.reduce(0, +), "seed \(seed)")
    }
  }
}
