import OpTraceSamples
import OpTraceSummary
@testable import OpTraceKernel
@testable import OpTraceSamples
import OpTraceModel
import TestSupport
import Testing

@Suite("Samples in summaries and thread statuses")
struct SamplesElsewhereTests {
  private func trace(_ sampled: SampledTrace) throws -> Trace { TraceBuilder.build(try TraceText.parse(sampled.text)) }

  @Test("a summary lists the functions that used most, and the used and running time of each kind of work")
  func summary() throws {
    let time = try #require(Summary(of: try trace(.photos())).processorTime)
    #expect(time.samples == 20 && time.sampled == 20_000_000)
    let first = try #require(time.functions.first)
    #expect(first.name == "clamp(_:)" && first.own == 6_000_000 && first.total == 6_000_000)
    #expect(time.functions.map(\.own).reduce(0, +) == time.sampled)
    let work = try #require(time.work.first { $0.kind == "operation" })
    #expect(work.name == "Import" && work.used == 8_000_000 && work.running == 48_000_000)
    #expect(time.work.map(\.used).reduce(0, +) == time.sampled)
    #expect(Summary(of: Trace(header: TraceHeader())).processorTime == nil)
  }

  @Test("a kind of work names the function that was charged most, with the libraries that it calls")
  func mostlyIn() throws {
    func function(_ stacks: [[String]]) throws -> String? {
      var sampled = SampledTrace()
      sampled.sampling()
      for (time, stack) in stacks.enumerated() { sampled.sample(time, 2, sampled.stack(stack)) }
      return try #require(Summary(of: try trace(sampled)).processorTime).work.first?.function
    }
    let inflate = ["main", "load", "libz.so.1!inflate"]
    #expect(try function([inflate, inflate, inflate, ["main", "load"], ["main"], ["main"]]) == "load")
    #expect(try function([["libz.so.1!inflate"], ["libz.so.1!crc"], ["libz.so.1!crc"]]) == "crc")
  }

  /// A snapshot at 3 s in which thread 2 runs, and samples at these times in milliseconds.
  private func seen(_ samples: [Int]) throws -> ThreadStatus {
    var sampled = SampledTrace()
    sampled.unit = .milliseconds
    sampled.sampling()
    let stack = sampled.stack(["main", "compute()"])
    for time in samples { sampled.sample(time, 2, stack) }
    sampled.add("3000 t9 seen t2 cpu=500 state=1 running")
    sampled.add("3000 t9 looked seen=1 moved=0 refused=0 request=0")
    let trace = try trace(sampled)
    return try #require(ThreadStatuses(of: trace).threads.first { $0.id == ThreadID(2) })
  }

  @Test("a computing thread has the stack of its last sample, unless that is old")
  func computing() throws {
    let fresh = try seen([1500, 2900, 3100])
    #expect(fresh.state == .running && fresh.sampledAt == 2_900_000_000 && fresh.stack != nil)
    let old = try seen([10])
    #expect(old.state == .running && old.sampledAt == nil && old.stack == nil)
  }
}
