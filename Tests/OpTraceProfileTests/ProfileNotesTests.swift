import OpTraceAnalysis
import OpTraceModel
import OpTraceProfile
import TestSupport
import Testing

@Suite("Why a profile is empty")
struct ProfileNotesTests {
  private func said(
    _ more: String?, offProcessor: Bool = false, isPart: Bool = false, _ make: (inout SampledTrace) -> Void = { _ in }
  ) throws -> String? {
    var trace = SampledTrace()
    if let more { trace.sampling(every: 10_000_000, more) }
    make(&trace)
    let built = TraceBuilder.build(try TraceText.parse(trace.text))
    let profile = offProcessor ? Profile(offProcessorOf: built) : Profile(of: built)
    return ProfileNotes(profile).nothing(in: "it", isPart: isPart)
  }

  @Test(
    "each refusal of the system has a remedy",
    arguments: [
      (13, "kernel.perf_event_paranoid=2"), (1, "--cap-add PERFMON"), (16, "SIGPROF"), (38, "no perf events"),
      (12, "no memory"),
      (24, "ulimit -n"), (22, "error number is 22"),
    ])
  func refused(number: Int, words: String) throws {
    let text = try #require(try said("refused=\(number)"))
    #expect(text.hasPrefix("processor time was not sampled in it: ") && text.contains(words))
    #expect(text.contains("--profile-by timer"))
    #expect(try #require(try said("by=1 refused=\(number)")).hasSuffix("--profile-by events' may do"))
  }

  @Test("each reason for an empty profile has its sentence")
  func reasons() throws {
    #expect(try said(nil) == "it has no samples of processor time: record them with 'optrace record --profile'")
    #expect(
      try said("") == "it has no samples: the program used less than one period of processor time (10.0 ms)")
    #expect(try said("") { $0.used(1, at: 5, lost: 7) } == "all 7 samples of it found no room")
    #expect(
      try said("") { $0.used(1, at: 5, missing: 1) } == "it has no samples: 1 thread could not be sampled")
    #expect(try said("", isPart: true) == "no sample is in the part of it that was asked for")
    #expect(try said(nil, offProcessor: true) == "no wait of a thread and no suspended task is in it")
    #expect(try said("") { $0.sample(1, 2, $0.stack(["f()"])) } == nil)
  }
}
