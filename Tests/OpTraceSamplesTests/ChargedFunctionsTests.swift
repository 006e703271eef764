import OpTraceKernel
import OpTraceSamples
import OpTraceModel
import TestSupport
import Testing

@Suite("Functions that samples are charged to")
struct ChargedFunctionsTests {
  private func profile(_ stacks: [(stack: [String]?, times: Int)]) throws -> Profile {
    var trace = SampledTrace()
    trace.sampling(every: 1_000_000)
    var time = 0
    for (stack, times) in stacks {
      let frame = stack.map { trace.stack($0) }
      for _ in 0..<times {
        trace.sample(time, 2, frame)
        time += 1
      }
    }
    return Profile(of: TraceBuilder.build(try TraceText.parse(trace.text)))
  }

  @Test("a sample is charged to the program's innermost function, without one to the library's")
  func charged() throws {
    let charged = try profile([
      (["main", "load"], 3), (["main", "load", "libz.so.1!inflate"], 4), (["main"], 1), (["libz.so.1!inflate"], 2),
      (["main", "libz.so.1!each", "load"], 5),
    ]).chargedFunctions()
    #expect(
      charged.values.map { "\($0.function.name) \($0.used.samples)" }.sorted() == ["inflate 2", "load 12", "main 1"])
    #expect(charged.values.allSatisfy { $0.used.time == Nanoseconds($0.used.samples) * 1_000_000 })
  }

  @Test("each sample counts once, whatever its stack", arguments: 0..<20)
  func sums(seed: Int) throws {
    var random = SeededGenerator(seed)
    let names = ["main", "load", "libz.so.1!inflate", "libc.so.6!memcpy"]
    let stacks = (0..<20).map { _ in
      (
        random.number(0..<8) == 0 ? nil : (0...random.number(0..<4)).map { _ in names[random.number(0..<4)] },
        random.number(1..<5)
      )
    }
    let profile = try profile(stacks)
    let charged = profile.chargedFunctions().values
    #expect(charged.reduce(0) { $0 + $1.used.samples } == profile.samples.count)
    #expect(charged.reduce(0) { $0 + $1.used.time } == profile.total)
    let rows = profile.functionRows()
    for one in charged where one.function.isOwn {
      let row = rows.first { profile.functions[$0.function].identity == one.function.identity }
      #expect(row?.charged == one.used.time)
    }
  }

  @Test("counts differ clearly beyond twice the square root of their sum")
  func clear() {
    func counted(_ samples: Int, every period: Int = 10) -> CountedTime {
      var time = CountedTime()
      time.add(Nanoseconds(samples * period), samples: samples, every: Nanoseconds(period))
      return time
    }
    #expect(!counted(100).differsClearly(from: counted(128)))
    #expect(counted(100).differsClearly(from: counted(132)))
    #expect(!counted(0).differsClearly(from: counted(4)))
    #expect(counted(0).differsClearly(from: counted(5)))
    #expect(!counted(100).differsClearly(from: counted(10, every: 100)))
    #expect(counted(1000).differsClearly(from: counted(10, every: 200)))
    var both = counted(60)
    both += counted(40)
    #expect(both == counted(100))
    var measured = CountedTime()
    measured.add(100, samples: 1, every: 0)
    #expect(measured.differsClearly(from: CountedTime()))
  }
}
