import OpTraceAnalysis
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import TestSupport
import Testing

@testable import OpTraceMemory

/// Programs of ten seconds with an allocation of 20 kB each 10 ms: 2 MB a second.
@Suite("What grows") struct MemoryGrowthTests {
  private static let size = 20_000
  private static let times = stride(from: 0, to: 10_000, by: 10)

  private func growth(_ fill: (inout MemoryTrace, _ stack: String) -> Void) throws -> [GrowingSite] {
    var made = MemoryTrace()
    let stack = made.sampled.stack(["main", "serve()", "insert(_:)", "libswiftCore.so!swift_allocObject"])
    fill(&made, stack)
    return try #require(try made.report()).growth
  }

  @Test("what nobody frees grows, at its place, with its rate and its type")
  func leak() throws {
    let found = try growth { made, stack in
      for time in Self.times { made.allocate(Self.size, at: time, in: stack, type: "Photos.Entry") }
    }
    let site = try #require(found.first)
    #expect(found.count == 1 && site.function?.name == "insert(_:)" && site.callers.map(\.name) == ["serve()", "main"])
    #expect(abs(site.bytesPerSecond - 2e6) < 5e4 && site.type == "Photos.Entry" && site.typeCount == 1000)
    #expect(site.survivingShare == 1 && !site.isDoubling)
  }

  @Test("also where all is freed when the program ends") func exit() throws {
    let found = try growth { made, stack in
      let blocks = Self.times.map { made.allocate(Self.size, at: $0, in: stack) }
      for block in blocks { made.free(block, at: 9_999) }
    }
    #expect(found.count == 1 && found.first?.survivingShare ?? 0 > 0.9)
  }

  @Test("what is freed after the same time does not")
  func steady() throws {
    let found = try growth { made, stack in
      for time in Self.times {
        let block = made.allocate(Self.size, at: time, in: stack)
        made.free(block, at: time + 2000)
      }
    }
    #expect(found.isEmpty)
  }

  @Test("nor what was loaded at the start, nor what a rising load needs for a moment")
  func loads() throws {
    let atStart = try growth { made, stack in
      for time in stride(from: 0, to: 1000, by: 1) { made.allocate(Self.size, at: time, in: stack) }
    }
    #expect(atStart.isEmpty)
    let rising = try growth { made, stack in
      for time in Self.times {
        for _ in 0...(time / 1000) {
          let block = made.allocate(Self.size, at: time, in: stack)
          made.free(block, at: time + 300)
        }
      }
    }
    #expect(rising.isEmpty)
  }

  @Test("a cache that has filled in the first half does not grow any more")
  func filled() throws {
    let found = try growth { made, stack in
      for time in Self.times where time < 5000 { made.allocate(Self.size, at: time, in: stack) }
    }
    #expect(found.isEmpty)
  }

  @Test("a queue whose reader lags behind grows, though everything is freed in the end")
  func lagging() throws {
    let found = try growth { made, stack in
      for time in Self.times {
        let block = made.allocate(Self.size, at: time, in: stack)
        // Read at two thirds of the pace.
        if time * 3 / 2 < 10_000 { made.free(block, at: time * 3 / 2) }
      }
    }
    #expect(found.count == 1)
  }

  @Test("an array that doubles grows, with one block")
  func doubling() throws {
    let found = try growth { made, stack in
      var before: Int?
      for (time, size) in [(100, 100_000), (900, 400_000), (2000, 1_600_000), (4000, 6_400_000), (7000, 25_600_000)] {
        let block = made.allocate(size, at: time, in: stack)
        if let before { made.free(before, at: time) }
        before = block
      }
    }
    #expect(found.first?.isDoubling == true)
  }

  @Test("a leak of less than 4 MB is not told, nor one in a run of a second")
  func small() throws {
    let small = try growth { made, stack in
      for time in Self.times { made.allocate(3000, at: time, in: stack) }
    }
    #expect(small.isEmpty)
    var short = MemoryTrace()
    let stack = short.sampled.stack(["main", "insert(_:)"])
    for time in 0..<1000 { short.allocate(Self.size, at: time, in: stack) }
    #expect(try #require(try short.report(to: 1000)).growth.isEmpty)
  }

  // MARK: - The doctor

  private func findings(_ made: MemoryTrace) throws -> [Finding] {
    Diagnosis(of: try made.trace(), by: .memory).findings
  }

  @Test("the doctor tells what grows, where, how fast and how sure that is")
  func doctor() throws {
    var made = MemoryTrace(interval: 4096)
    let stack = made.sampled.stack(["main", "insert(_:)"])
    for time in Self.times { made.allocate(Self.size, at: time, in: stack, type: "Photos.Entry") }
    let finding = try #require(try findings(made).first)
    #expect(finding.code == "memory-growth" && finding.severity == .warning)
    #expect(finding.title.contains("'insert(_:)'") && finding.title.contains("'Photos.Entry' live"))
    #expect(finding.location?.file == "/src/main.swift")
    #expect(finding.evidence.contains { $0.text.contains("one byte in 4,096") && $0.text.contains("none lost") })
  }

  @Test("malloc keeps what was freed: a warning where it is much and lasts, else a note")
  func held() throws {
    func made(_ anonymous: Int) -> MemoryTrace {
      var made = MemoryTrace()
      let stack = made.sampled.stack(["main", "load()"])
      made.look(at: 0, resident: 20_000, anonymous: 2000)
      let blocks = (0..<200).map { made.allocate(1_000_000, at: 100 + $0, in: stack) }
      for block in blocks { made.free(block, at: 1000) }
      for time in stride(from: 2000, through: 9000, by: 1000) {
        made.look(at: time, resident: anonymous + 18_000, anonymous: anonymous)
      }
      return made
    }
    let much = try #require(try findings(made(150_000)).first)
    #expect(much.code == "malloc-holds" && much.severity == .warning && much.title.hasPrefix("malloc keeps 152 MB"))
    #expect(much.evidence.contains { $0.text.contains("'load()'") })
    #expect(try #require(try findings(made(40_000)).first).severity == .note)
    #expect(try findings(made(20_000)).isEmpty)
  }

  @Test("who allocates most is told where allocating takes a tenth of the processor time")
  func hotspot() throws {
    func made(_ allocating: Int) -> MemoryTrace {
      var made = MemoryTrace()
      made.sampled.sampling()
      let key = made.sampled.stack(["main", "key(_:_:)", "libswiftCore.so!swift_slowAlloc"])
      let other = made.sampled.stack(["main", "compute()"])
      for time in 0..<100 {
        let block = made.allocate(48, at: time, in: time % 4 == 0 ? other : key)
        made.free(block, at: time + 1)
        made.sampled.sample(time, 2, time < allocating ? key : other)
      }
      return made
    }
    let finding = try #require(try findings(made(12)).first)
    #expect(finding.code == "allocation-hotspot" && finding.severity == .note)
    #expect(finding.title.contains("12 %") && finding.title.contains("'key(_:_:)'"))
    #expect(try findings(made(8)).isEmpty)
  }

  @Test("a healthy program has no findings, and neither has one without samples")
  func healthy() throws {
    var made = MemoryTrace()
    let stack = made.sampled.stack(["main", "serve()"])
    made.look(at: 0, resident: 20_000, anonymous: 2000)
    for time in Self.times {
      let block = made.allocate(Self.size, at: time, in: stack)
      made.free(block, at: time + 500)
    }
    made.look(at: 9000, resident: 30_000, anonymous: 12_000)
    #expect(try findings(made).isEmpty)
    #expect(Diagnosis(of: Trace(header: TraceHeader()), by: .memory).findings.isEmpty)
  }
}
