@testable import OpTraceKernel
@testable import OpTraceSamples
import OpTraceModel
import TestSupport
import Testing

@Suite("Samples: the work that they belong to")
struct ProfileAttributionTests {
  /// Two operations on thread 2, one right after the other. The first runs from 100 to 200, and a block in it (by
  /// `sync`) from 120 to 150.
  private var lines: SampledTrace {
    var trace = SampledTrace()
    trace.sampling()
    for line in [
      "10 t1 queue q1 limit=1 \"work\"", "10 t1 dispatch-queue d1 width=1 \"db\"",
      "20 t1 created #1 class=\"Load\"", "20 t1 enqueued #1 queue=q1 priority=0", "20 t1 ready #1",
      "21 t1 created #2 class=\"Parse\"", "21 t1 enqueued #2 queue=q1 priority=0", "21 t1 ready #2",
      "100 t2 started #1", "100 t2 began #1", "200 t2 ended #1", "200 t2 finished #1", "200 t2 start-returned #1",
      "200 t2 started #2", "200 t2 began #2", "300 t2 ended #2", "300 t2 finished #2", "300 t2 start-returned #2",
      "119 t2 submitted #3 queue=d1 how=4", "120 t2 run #3", "150 t2 ran #3",
    ] { trace.add(line) }
    return trace
  }

  private func profile(_ trace: SampledTrace, _ selection: Profile.Selection = .init()) throws -> Profile {
    Profile(of: TraceBuilder.build(try TraceText.parse(trace.text)), selection: selection)
  }

  private func owners(_ profile: Profile) -> [String] {
    profile.ownerOfSamples.map { index in
      let owner = profile.owners[index]
      return "\(owner.kind) \(owner.name)" + (owner.queue.map { " on \($0)" } ?? "")
    }
  }

  @Test("a sample belongs to the innermost work that runs on its thread, else to the thread")
  func nested() throws {
    var trace = lines
    let stack = trace.stack(["main", "f()"])
    for time in [99, 100, 119, 120, 150, 151, 200, 300, 301] { trace.sample(time, 2, stack) }
    let profile = try profile(trace)
    #expect(
      owners(profile) == [
        "thread worker", "operation Load on work", "operation Load on work", "block sync on db", "block sync on db",
        "operation Load on work", "operation Parse on work", "operation Parse on work", "thread worker",
      ])
    #expect(profile.samples.map { $0.work?.rawValue } == [nil, 1, 1, 3, 3, 1, 2, 2, nil])
    #expect(profile.samples.allSatisfy { $0.weight == 1_000_000 } && profile.total == 9_000_000)
  }

  @Test("a selected work includes the work that it calls")
  func chosen() throws {
    var trace = lines
    let stack = trace.stack(["main", "f()"])
    for time in [99, 110, 130, 250] { trace.sample(time, 2, stack) }
    func times(_ change: (inout Profile.Selection) -> Void) throws -> [Int64] {
      var selection = Profile.Selection()
      change(&selection)
      return try profile(trace, selection).samples.map { $0.time / 1000 }
    }
    #expect(try times { _ in } == [99, 110, 130, 250])
    #expect(try times { $0.queues = [.queue(QueueID(1))] } == [110, 130, 250])
    #expect(try times { $0.queues = [.dispatchQueue(DispatchQueueID(1))] } == [130])
    #expect(try times { $0.classes = ["Load"] } == [110, 130])
    #expect(try times { $0.classes = ["Parse"] } == [250])
    #expect(try times { $0.classes = ["Parse", "sync"] } == [130, 250])
    #expect(try times { $0.minimumDuration = 31_000 } == [110, 130, 250])
    #expect(try times { $0.minimumDuration = 100_001 } == [])
    #expect(
      try times {
        $0.classes = ["sync"]
        $0.minimumDuration = 50_000
      } == [])
    #expect(
      try times {
        $0.from = 110_000
        $0.to = 130_000
      } == [110, 130])
    #expect(try times { $0.works = [WorkID(1)] } == [110, 130])
    #expect(
      try times {
        $0.from = 200_000
        $0.always = [WorkID(3)]
      } == [130, 250])
  }

  @Test("a task has its samples on every thread; threads without a name show their number")
  func tasks() throws {
    var trace = SampledTrace()
    trace.sampling()
    let stack = trace.stack(["main", "f()"])
    for line in [
      "10 t1 task #1 enqueued", "10 t1 named #1 \"upload\"", "20 t2 task-run #1", "30 t2 task-suspended #1 reason=5",
      "50 t2 task-enqueued #1", "60 t3 task-run #1", "70 t3 task-completed #1", "5 t7 thread t7 tid=107 \"\"",
    ] { trace.add(line) }
    for (time, thread) in [(25, 2), (40, 2), (65, 2), (65, 3), (80, 3), (90, 7)] { trace.sample(time, thread, stack) }
    let profile = try profile(trace)
    #expect(
      owners(profile) == [
        "task task", "thread worker", "thread worker", "task task", "thread worker", "thread thread 7",
      ])
    #expect(profile.threads[ThreadID(7)] == Profile.Thread(name: "thread 7", systemID: 107))
    #expect(profile.threads[ThreadID(2)] == Profile.Thread(name: "worker", systemID: 102))
    #expect(profile.facts.inTasks == 2 && profile.facts.joined == 0)
  }

  @Test("a span has the samples of its thread and of work submitted in it; a tree has all submitted work")
  func spans() throws {
    var trace = lines
    let stack = trace.stack(["main", "f()"])
    for line in [
      "50 t1 span #0 id=1 \"load works\"", "400 t1 span-ended s1", "60 t1 submitted #4 queue=d1",
      "60 t1 within #4 span=1", "310 t3 run #4", "312 t3 submitted #5 by=#4 queue=d1", "315 t3 ran #4",
      "320 t3 run #5", "330 t3 ran #5",
    ] { trace.add(line) }
    for (time, thread) in [(45, 1), (55, 1), (110, 2), (313, 3), (325, 3)] { trace.sample(time, thread, stack) }
    let all = try profile(trace)
    #expect(all.samples.map { $0.span?.rawValue } == [nil, 1, nil, 1, 1])
    var selection = Profile.Selection()
    selection.spans = [SpanID(1)]
    #expect(try profile(trace, selection).samples.map { $0.time / 1000 } == [55, 313, 325])
    selection = Profile.Selection()
    let read = TraceBuilder.build(try TraceText.parse(trace.text))
    selection.works = Profile.Selection.trees(of: [WorkID(4)], in: read)
    #expect(selection.works == [WorkID(4), WorkID(5)])
    #expect(Profile(of: read, selection: selection).samples.map { $0.time / 1000 } == [313, 325])
  }
}
