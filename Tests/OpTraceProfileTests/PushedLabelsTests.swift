import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceProfile

@Suite struct PushedLabelsTests {
  private func window(_ trace: Trace) throws -> WindowProfile {
    var windows = ProfileWindows(every: 60_000_000_000, from: 0)
    windows.add(trace)
    return try #require(windows.closeAll(at: trace.end).first)
  }

  /// `work()=2 thread:worker task:serve() request:load()` for each sum.
  private func described(_ window: WindowProfile) -> [String] {
    window.sums.map { sum in
      let frame = window.tables.stacks[sum.key.stack].frames.last.map { window.tables.frames[$0].function } ?? -1
      let labels = window.labels(of: sum.key).map { "\($0.key.label):\($0.value)" }
      let span = window.spans.indices.contains(sum.key.span) ? ["in:\(window.spans[sum.key.span].spanID)"] : []
      return (["\(window.tables.functions[frame].name)=\(sum.samples)"] + labels + span).joined(separator: " ")
    }
  }

  @Test("a sample has the kind of request that it was for, also in a task that the request has made")
  func requests() throws {
    var service = ServiceTrace(sampled: true)
    let connections = (0..<8).map { service.connection($0 * 10, thread: 2) }
    let work = service.trace.stack(["work()"])
    // Six rounds of each connection, on a thread of their own.
    for (index, id) in connections.enumerated() {
      for round in 0..<6 {
        let begin = 10_000 + index * 100_000 + round * 10_000
        service.round(begin, id, [round % 2 == 0 ? "load()" : "save()", "query()"], waited: 1000, thread: 2)
        // While it runs: before it waits.
        service.trace.sample(begin + 15, 2, work)
        guard round == 0 else { continue }
        let child = service.task(begin + 16, "helper()", by: id, thread: 2)
        service.run(begin + 100, child, thread: 3)
        service.trace.sample(begin + 150, 3, work)
        service.end(begin + 200, child, thread: 3)
      }
    }
    // Not in any request.
    service.trace.sample(2_000_000, 4, work)
    let lines = try described(window(service.built(end: 3_000_000)))
    #expect(
      lines.sorted() == [
        "work()=1 thread:worker", "work()=24 thread:worker task:serve() request:load()",
        "work()=24 thread:worker task:serve() request:save()",
        "work()=8 thread:worker task:helper() request:load()",
      ])
  }

  @Test("a sample leads to the span of the program's tracer that it was taken in")
  func spans() throws {
    var service = CallingService("shop", 7)
    for number in 0..<3 {
      let id = service.operation("Step \(number)", number * 100, number * 100 + 50)
      service.span("GET /cart", .server, number * 100 + 1, number * 100 + 40, id: 0xAB00 + number, in: id)
    }
    var trace = try service.read()
    trace.profile = ProfileRecord(period: 10_000_000)
    trace.samples = [10, 45, 100, 120].map {
      SampleRecord(time: $0 * 1_000_000, thread: ThreadID(2), at: nil)
    }
    let lines = try described(window(trace))
    #expect(
      lines == [
        "[no stack]=1 thread:worker operation:Step queue:work request:GET /cart in:000000000000ab00",
        "[no stack]=2 thread:worker operation:Step queue:work request:Step",
        "[no stack]=1 thread:worker operation:Step queue:work request:GET /cart in:000000000000ab01",
      ])
  }

  @Test("a label has no more than so many names while a program runs")
  func limit() {
    var names = LabelNames(most: 3)
    let queues = (0..<5).map { names.name("connection \($0)", of: .queue) }
    #expect(queues == ["connection 0", "connection 1", "connection 2", "(other)", "(other)"])
    #expect(names.name("connection 1", of: .queue) == "connection 1")
    #expect(names.name("connection 9", of: .work) == "connection 9")
    #expect(names.replaced == 2)
    #expect(names.name("a\u{1B}[31m\nb", of: .request) == "a\u{FFFD}[31m b")
  }

  @Test(
    "a pprof file of a window has its counts, its labels and its time", arguments: [Profile.small, .hostile, .broken])
  func pprof(_ profile: Profile) {
    var window = WindowProfile(1_000_000_000, 61_000_000_000)
    var names = LabelNames()
    window.add(
      Array(profile.samples.indices), of: profile,
      profile.samples.map { _ in .init(request: "GET", context: .init(traceID: "00ff", spanID: "0123456789abcdef")) },
      &names)
    let file = PprofReader(exported { PprofExporter.write(window, startWall: 1_700_000_000_000_000_000, to: $0) })
    #expect(file.troubles == [])
    #expect(file.types == ["samples count", "cpu nanoseconds"])
    #expect(file.numbers[9] == 1_700_000_001_000_000_000 && file.numbers[10] == 60_000_000_000)
    #expect(file.samples.allSatisfy { $0.hasSuffix(", request GET, span_id 0123456789abcdef") })
    #expect(!file.samples.contains { $0.contains(", thread ") })
    guard profile == .small else { return }
    #expect(file.samples.first?.contains(" = 3 30000000, operation Load, queue network, request GET") == true)
  }

  @Test("any OTLP message of a window can be made", arguments: [Profile.small, .hostile, .broken, Profile()])
  func otlp(_ profile: Profile) {
    var window = WindowProfile(.min, .max)
    var names = LabelNames()
    window.add(
      Array(profile.samples.indices), of: profile,
      profile.samples.map { _ in .init(request: nil, context: .init(traceID: "x", spanID: "")) }, &names)
    let process = PushedProcess(TraceHeader(), serviceName: "", startWall: .max)
    #expect(process.serviceName == "unknown_service")
    #expect(!exported { OTLPProfileExporter.write(window, of: process, to: $0) }.isEmpty)
    #expect(process.id(of: window).count == 16)
  }

  @Test("answers of receivers are read, whatever they hold")
  func answers() {
    #expect(PushAnswers.partialSuccess([]) == nil)
    #expect(PushAnswers.partialSuccess([0x0A, 0]) == nil)
    let partial = PushAnswers.partialSuccess([0x0A, 6, 0x08, 2, 0x12, 2, 0x6E, 0x6F])
    #expect(partial?.rejected == 2 && partial?.message == "no")
    #expect(PushAnswers.statusMessage([0x08, 14, 0x12, 2, 0x6E, 0x6F]) == "no")
    for length in 0..<40 {
      let noise = [UInt8](repeating: 0xFF, count: length)
      _ = PushAnswers.partialSuccess(noise)
      _ = PushAnswers.partialSuccess([0x0A] + noise)
      _ = PushAnswers.statusMessage(noise)
    }
  }
}
