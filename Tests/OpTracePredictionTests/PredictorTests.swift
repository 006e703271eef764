import Foundation
import OpTraceAnalysis
import OpTraceModel
import OpTracePrediction
import TestSupport
import Testing

@Suite("Predictions")
struct PredictorTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("traces")

  private func typed(_ lines: String) throws -> Trace {
    TraceBuilder.build(try TraceText.parse(TypedTrace().text(lines, in: .milliseconds)))
  }

  @Test("the predicted trace has no measurements of the recorded run") func measured() throws {
    let recorded = try typed(
      """
      0 t1 queue q1 limit=1 "q"
      0 t1 thread t1 tid=1 "main"
      0 t1 created #1 class="A"
      1 t1 enqueued #1 queue=q1 priority=0
      1 t1 ready #1
      2 t1 started #1
      2 t1 began #1
      2 t1 cpu #1 used=1
      2 t1 mark #1 "m"
      2 t1 span #1 id=1 "s"
      3 t1 sampled f0 thread=t1
      3 t1 loop-turns t1 turns=1
      4 t1 span-ended s1
      5 t1 ended #1
      5 t1 cpu #1 used=2
      5 t1 finished #1
      5 t1 completion #1
      """)
    #expect(!recorded.samples.isEmpty && !recorded.loops.isEmpty && !recorded.spans.isEmpty && !recorded.marks.isEmpty)
    let predicted = try Predictor(recorded).predictedTrace([])
    #expect(predicted.samples.isEmpty && predicted.loops.isEmpty && predicted.spans.isEmpty && predicted.marks.isEmpty)
    #expect(predicted.operations.count == 1 && predicted.queues.count == 1)
    let (before, after) = (recorded.operations[0], predicted.operations[0])
    #expect(before.completion != nil && before.processorTime != nil)
    #expect(after.completion == nil && after.processorTime == nil && after.finished != nil)
  }

  @Test("each sample of a finished program is replayed within half a percent")
  func samples() throws {
    var replayed = 0
    for file in try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "optrace" {
      let trace = try TraceReader.read(path: file.path)
      let predictor = try Predictor(trace)
      guard predictor.recordedWall != nil else {
        #expect(!predictor.replay.isTrusted, "\(file.lastPathComponent)")
        continue
      }
      #expect(predictor.replay.isTrusted, "\(file.lastPathComponent): \(predictor.replay)")
      #expect(abs(predictor.replay.errorShare ?? 1) < 0.005, "\(file.lastPathComponent)")
      replayed += 1
    }
    #expect(replayed >= 16)
  }

  /// Two operations of one queue; the first waits for the second.
  private static let waiting = """
    0 t1 queue q1 limit=2 "work"
    0 t1 created #1 class="Outer"
    0 t1 named #1 "outer"
    0 t1 enqueued #1 queue=q1 priority=0
    0 t1 ready #1
    0 t1 created #2 class="Inner"
    0 t1 named #2 "inner"
    0 t1 enqueued #2 queue=q1 priority=0
    0 t1 ready #2
    0 t2 started #1
    0 t2 began #1
    0 t3 started #2
    0 t3 began #2
    10 t2 wait #2
    50 t3 ended #2
    50 t3 finished #2
    50 t3 start-returned #2
    50 t2 waited #2
    60 t2 ended #1
    60 t2 finished #1
    60 t2 start-returned #1
    """

  @Test("a deadlock from a smaller limit is predicted, with the operations that never finish")
  func deadlock() throws {
    let trace = try typed(Self.waiting)
    let predictor = try Predictor(trace)
    #expect(predictor.replay.errorShare == 0)
    let prediction = predictor.predict([try ChangeParser(trace).parse(.limit, "work=1")])
    #expect(prediction.neverEnds == [OperationID(1), OperationID(2)])
    #expect(prediction.wall == nil)
    #expect(prediction.criticalPath.isEmpty)
    let wider = predictor.predict([try ChangeParser(trace).parse(.limit, "work=unlimited")])
    #expect(wider.wall?.likely == 60_000_000)
  }

  @Test("a faster operation scales its running time, and waits change with it")
  func faster() throws {
    let trace = try typed(Self.waiting)
    let predictor = try Predictor(trace)
    let inner = predictor.predict([try ChangeParser(trace).parse(.faster, "Inner=2")])
    #expect(inner.wall?.likely == 35_000_000)
    #expect(inner.operations.first?.id == OperationID(1) && inner.operations.first?.wall == -25_000_000)
    let free = predictor.predict([try ChangeParser(trace).parse(.faster, "Inner=infinitely")])
    #expect(free.wall?.likely == 20_000_000)
    let outer = predictor.predict([try ChangeParser(trace).parse(.faster, "outer=infinitely")])
    #expect(outer.wall?.likely == 50_000_000)
  }

  @Test("an asynchronous operation takes the same time wherever it begins")
  func asynchronous() throws {
    let trace = try typed(
      """
      0 t1 queue q1 limit=1 "net"
      0 t1 created #1 class="Load" async
      0 t1 enqueued #1 queue=q1 priority=0
      0 t1 ready #1
      0 t1 created #2 class="Load" async
      0 t1 enqueued #2 queue=q1 priority=0
      0 t1 ready #2
      0 t2 started #1
      0 t2 began #1
      0 t2 start-returned #1
      20 t4 finished #1
      20 t2 started #2
      20 t2 began #2
      20 t2 start-returned #2
      50 t4 finished #2
      """)
    let predictor = try Predictor(trace)
    #expect(predictor.replay.errorShare == 0)
    let two = predictor.predict([try ChangeParser(trace).parse(.limit, "net=2")])
    #expect(two.wall?.likely == 30_000_000)
    let faster = predictor.predict([try ChangeParser(trace).parse(.faster, "Load=2")])
    #expect(faster.wall?.likely == 25_000_000)
    #expect(two.assumptions.contains(Assumption.callbackDelays.sentence))
  }

  @Test("work that a recorded completion block adds follows from its operation")
  func recordedCompletionBlock() throws {
    let trace = try typed(
      """
      0 t1 queue q1 limit=-1 "work"
      0 t1 created #1 class="Slow"
      0 t1 enqueued #1 queue=q1 priority=0
      0 t1 ready #1
      0 t1 created #2 class="Other"
      0 t1 enqueued #2 queue=q1 priority=0
      0 t1 ready #2
      0 t2 started #1
      0 t2 began #1
      0 t3 started #2
      0 t3 began #2
      30 t2 ended #1
      30 t2 finished #1
      30 t2 completion #1
      30 t2 start-returned #1
      30 t4 completion-began #1
      34 t3 ended #2
      34 t3 finished #2
      34 t3 start-returned #2
      40 t4 created #3 class="Next"
      40 t4 enqueued #3 queue=q1 priority=0
      40 t4 ready #3
      41 t4 completion-ended #1
      40 t5 started #3
      40 t5 began #3
      60 t5 ended #3
      60 t5 finished #3
      60 t5 start-returned #3
      """)
    let predictor = try Predictor(trace)
    #expect(predictor.replay.errorShare == 0)
    let slow = predictor.predict([try ChangeParser(trace).parse(.faster, "Slow=2")])
    #expect(slow.wall?.likely == 45_000_000)
    #expect(!slow.assumptions.contains(Assumption.callbackCauses.sentence))
    let other = predictor.predict([try ChangeParser(trace).parse(.faster, "Other=infinitely")])
    #expect(other.wall?.likely == 60_000_000)
  }

  @Test("work that a completion block adds moves with the finish of its operation")
  func completionBlock() throws {
    let trace = try typed(
      """
      0 t1 queue q1 limit=2 "work"
      0 t1 created #1 class="First"
      0 t1 enqueued #1 queue=q1 priority=0
      0 t1 ready #1
      0 t2 started #1
      0 t2 began #1
      30 t2 ended #1
      30 t2 finished #1
      30 t2 start-returned #1
      35 t2 created #2 class="Second"
      35 t2 enqueued #2 queue=q1 priority=0
      35 t2 ready #2
      35 t3 started #2
      35 t3 began #2
      45 t3 ended #2
      45 t3 finished #2
      45 t3 start-returned #2
      """)
    let predictor = try Predictor(trace)
    #expect(predictor.replay.errorShare == 0)
    let faster = predictor.predict([try ChangeParser(trace).parse(.faster, "First=3")])
    #expect(faster.wall?.likely == 25_000_000)
    #expect(faster.assumptions.contains(Assumption.callbackCauses.sentence))
  }

  @Test("an operation without its dependency begins at once")
  func without() throws {
    var trace = HandmadeTrace()
    let queue = trace.queue("work", limit: 2)
    trace.operation("a", on: queue, thread: 2, began: 0, ended: 10)
    trace.operation("b", on: queue, thread: 3, after: [OperationID(1)], ready: 10, began: 10, ended: 30)
    let predictor = try Predictor(trace.trace)
    #expect(predictor.replay.errorShare == 0)
    let prediction = predictor.predict([try ChangeParser(trace.trace).parse(.without, "b>a")])
    #expect(prediction.wall?.likely == 20_000_000)
    #expect(prediction.criticalPath == [OperationID(2)])
  }

  @Test("a range contains its likely value and is never empty")
  func ranges() throws {
    let trace = try typed(Self.waiting)
    let predictor = try Predictor(trace)
    for value in ["work=2", "work=4", "work=unlimited"] {
      let wall = try #require(predictor.predict([try ChangeParser(trace).parse(.limit, value)]).wall)
      #expect(wall.low < wall.likely && wall.likely < wall.high, "\(value)")
    }
  }

  @Test("a trace without operations is refused")
  func noOperations() throws {
    let trace = try typed("0 t1 queue q1 limit=2 \"work\"")
    #expect(throws: PredictionError.noOperations) { try Predictor(trace) }
  }

  @Test("a trace that lost most of its operations is refused, with the reason")
  func incomplete() throws {
    var trace = try typed(Self.waiting)
    for index in trace.operations.indices { trace.operations[index].coverage = .partial }
    #expect(
      throws: PredictionError.incomplete("2 of 2 operations were seen in part only")
    ) { try Predictor(trace) }
  }

  @Test("a cut trace is replayed up to the cut, and is not trusted")
  func cut() throws {
    let lines = Self.waiting.split(separator: "\n").prefix(14).joined(separator: "\n") + "\n40 t1 mark #0 \"here\""
    let trace = try typed(lines)
    let predictor = try Predictor(trace)
    #expect(predictor.recordedWall == nil)
    #expect(!predictor.replay.isTrusted)
    #expect(predictor.replay.reasons.contains("2 operations were not over when the trace ended."))
    let prediction = predictor.predict([try ChangeParser(trace).parse(.limit, "work=3")])
    #expect(prediction.neverEnds.isEmpty)
  }

  @Test("suggestions are ranked, name real options, and include the best possible change")
  func suggestions() throws {
    var trace = HandmadeTrace()
    let queue = trace.queue("work", limit: 1)
    for index in 0..<6 {
      let begin = Double(index) * 10
      trace.operation("a\(index)", on: queue, ready: 0, began: begin, ended: begin + 10)
    }
    let predictor = try Predictor(trace.trace, processors: 8)
    let suggestions = predictor.suggestions()
    let walls = suggestions.compactMap { $0.wall?.likely }
    #expect(walls == walls.sorted())
    let texts = suggestions.map { $0.changes.map(\.text).joined() }
    #expect(texts.contains("--limit work=unlimited"))
    #expect(texts.contains("--limit work=2"))
    #expect(texts.first == "--faster Step=infinitely")
    #expect(!texts.contains { $0.hasPrefix("--priority") })
    let two = try #require(suggestions.first { $0.changes.first?.text == "--limit work=2" }?.wall)
    #expect(two.likely == 30_000_000)
  }

  @Test("no larger limit is suggested where operations waited for threads, not for slots")
  func suggestionsForThreads() throws {
    var trace = HandmadeTrace()
    let queue = trace.queue("work", limit: 4)
    for index in 0..<3 {
      let begin = 50 + Double(index) * 10
      trace.operation("a\(index)", on: queue, ready: 0, began: begin, ended: begin + 10)
    }
    let texts = try Predictor(trace.trace, processors: 8).suggestions(atMost: 100).map {
      $0.changes.map(\.text).joined()
    }
    #expect(texts.contains { $0.hasPrefix("--faster") }, "\(texts)")
    let larger = ["--limit work=5", "--limit work=8", "--limit work=unlimited"]
    #expect(texts.allSatisfy { !larger.contains($0) }, "\(texts)")
  }

  /// The main thread adds each operation after the one before has ended, or at its own pace.
  private func inTurn(pace: [Int]) throws -> Trace {
    var lines = "0 t1 queue q1 limit=2 \"work\"\n"
    for (index, begin) in pace.enumerated() {
      let id = index + 1
      lines += """
        \(begin) t1 created #\(id) class="Step"
        \(begin) t1 enqueued #\(id) queue=q1 priority=0
        \(begin) t1 ready #\(id)
        \(begin) t2 started #\(id)
        \(begin) t2 began #\(id)
        \(begin + 20_000) t2 ended #\(id)
        \(begin + 20_000) t2 finished #\(id)
        \(begin + 20_000) t2 start-returned #\(id)

        """
    }
    return TraceBuilder.build(try TraceText.parse(TypedTrace().text(lines, in: .microseconds)))
  }

  @Test("only a thread that continues right after operations end is assumed to wait for them")
  func ownThreads() throws {
    let following = try inTurn(pace: [0, 20_100, 40_200, 60_300])
    let after = try Predictor(following, processors: 4)
    #expect(after.replay.isTrusted)
    let twice = after.predict([try ChangeParser(following).parse(.faster, "Step=2")])
    #expect(twice.wall?.likely == 40_300_000)
    #expect(twice.assumptions.contains(Assumption.ownThreadsFollow.sentence))
    let steady = try inTurn(pace: [0, 25_000, 50_000, 75_000])
    let own = try Predictor(steady, processors: 4).predict([try ChangeParser(steady).parse(.faster, "Step=2")])
    #expect(own.wall?.likely == 85_000_000)
    #expect(!own.assumptions.contains(Assumption.ownThreadsFollow.sentence))
  }

  @Test("two runs side by side have their own numbers and queue names, and lose nothing")
  func beside() throws {
    let trace = try typed(Self.waiting)
    let predicted = try Predictor(trace).predictedTrace([try ChangeParser(trace).parse(.faster, "Inner=2")])
    let both = trace.beside(predicted, called: "predicted")
    #expect(both.operations.count == 4)
    #expect(Set(both.operations.map(\.id)).count == 4)
    #expect(both.operations.map(\.id) == both.operations.map(\.id).sorted())
    #expect(both.queues.map(\.name) == ["work", "work (predicted)"])
    #expect(both.operations.map { $0.finished?.time } == [60_000_000, 50_000_000, 35_000_000, 25_000_000])
    #expect(Set(both.operations.suffix(2).map(\.queue)) == [both.queues[1].id])
    #expect(Set(both.threads.map(\.id)).count == both.threads.count)
  }

  @Test("two aligned runs begin at the same time, and waits stay with their own run")
  func aligned() throws {
    let trace = try typed(Self.waiting)
    var late = trace
    let begin = try #require(trace.activity?.lowerBound)
    for index in late.operations.indices {
      late.operations[index].enqueued?.time += 5_000
      late.operations[index].ready?.time += 5_000
      late.operations[index].started?.time += 5_000
      late.operations[index].executionBegan?.time += 5_000
      late.operations[index].finished?.time += 5_000
      late.operations[index].addedAt = FrameID(7)
    }
    let both = trace.beside(late, called: "new", aligned: true)
    let (own, other) = (
      both.operations.prefix(trace.operations.count), both.operations.dropFirst(trace.operations.count)
    )
    #expect(own.compactMap(\.enqueued?.time).min() == begin)
    #expect(other.compactMap(\.enqueued?.time).min() == begin)
    #expect(other.allSatisfy { $0.addedAt == nil })
    #expect(both.waits.count == 2 * trace.waits.count && !trace.waits.isEmpty)
    #expect(both.waits.map(\.began) == both.waits.map(\.began).sorted())
    let others = Set(other.map(\.id))
    for wait in both.waits {
      guard case .operation(let target) = wait.target, let inside = wait.inside else { continue }
      #expect(others.contains(target) == others.contains(inside))
    }
  }
}
