import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText
import TestSupport
import Testing

@testable import OpTraceMemory

@Suite("Where memory goes") struct MemoryReportTests {
  @Test("each allocation counts for the innermost own function, and for all that called it")
  func functions() throws {
    var made = MemoryTrace()
    let load = made.sampled.stack([
      "main", "load()", "libswiftCore.so!swift_allocObject", "libswiftCore.so!swift_slowAlloc",
    ])
    let parse = made.sampled.stack(["main", "load()", "parse()", "libFoundation.so!decode"])
    made.allocate(1000, at: 10, in: load, type: "Photos.Item")
    let block = made.allocate(500, at: 20, in: parse)
    made.free(block, at: 30)
    made.allocate(300, at: 40, in: parse)
    let report = try #require(try made.report())
    #expect(report.all.allocated.bytes == 1800 && report.all.allocated.count == 3 && report.all.allocated.error == 0)
    #expect(report.all.live.bytes == 1300 && report.all.live.count == 2)
    func row(_ name: String) throws -> MemoryReport.FunctionRow {
      try #require(report.functions.first { $0.function.name == name })
    }
    #expect(try row("load()").own.allocated.bytes == 1000 && row("load()").total.allocated.bytes == 1800)
    #expect(try row("parse()").own.allocated.bytes == 800 && row("parse()").own.live.bytes == 300)
    #expect(try row("main").own.allocated.bytes == 0 && row("main").total.live.bytes == 1300)
    #expect(report.functions.map(\.own.allocated.bytes).reduce(0, +) == report.all.allocated.bytes)
    // Whoever asks for memory is no function of the program.
    #expect(!report.functions.contains { $0.function.name.hasPrefix("swift_") })
    #expect(report.types.map(\.type) == ["Photos.Item", nil])
    #expect(report.types.first?.sums.live.count == 1)
  }

  @Test("what lives is told of any moment, and the peak of the one when most did")
  func moments() throws {
    var made = MemoryTrace()
    let stack = made.sampled.stack(["main", "load()"])
    let large = made.allocate(5000, at: 1000, in: stack)
    made.free(large, at: 2000)
    made.allocate(700, at: 3000, in: stack)
    made.sampled.add("4000 t9 resized a2 size=900")
    for (time, bytes) in [(500, 0.0), (1500, 5000), (2500, 0), (3500, 700), (4500, 900)] {
      let report = try #require(try made.report(at: Nanoseconds(time) * 1_000_000))
      #expect(report.all.live.bytes == bytes, "after \(time) ms")
      #expect(report.peak?.time == 1_000_000_000 && report.peak?.live.bytes == 5000)
    }
  }

  @Test("small blocks stand for more than large ones, and the error says how sure that is")
  func estimates() {
    var sum = EstimatedBytes()
    sum.add(size: 100, interval: 65_536)
    // 1 / (1 - e^(-100/65536))
    #expect(abs(sum.count - 655.86) < 0.01 && abs(sum.bytes - 65_586) < 1)
    #expect(abs(sum.error - 65_536) < 50)
    var large = EstimatedBytes()
    large.add(size: 1_000_000, interval: 65_536)
    #expect(abs(large.bytes - 1_000_000) < 1 && large.error < 1000)
    var all = EstimatedBytes()
    all.add(size: 3, interval: 1)
    #expect(all.bytes == 3 && all.error == 0)
    all.add(size: 0, interval: 512)
    #expect(all.bytes == 3)
  }

  @Test("what the process has beside what lives is kept by the allocator")
  func held() throws {
    var made = MemoryTrace()
    let stack = made.sampled.stack(["main", "load()"])
    made.look(at: 0, resident: 20_000, anonymous: 2000)
    let blocks = (0..<100).map { made.allocate(1_000_000, at: 100 + $0, in: stack) }
    for block in blocks.dropFirst(20) { made.free(block, at: 5000) }
    made.look(at: 9000, resident: 120_000, anonymous: 102_000)
    let report = try #require(try made.report())
    let held = try #require(report.process.held)
    #expect(abs(held - (100_000 * 1024 - 20 * 1_000_016)) < 1000)
    #expect(
      MemoryWords(report).sentence.hasPrefix("the program holds 20 MB, malloc keeps 82 MB more of the peak in 'load()'")
    )
    #expect(report.timeline.map(\.live) == [0, 20_000_000])
  }

  @Test("the keys of JSON are a contract")
  func json() throws {
    var made = MemoryTrace(interval: 1)
    made.look(at: 0, resident: 20_000, anonymous: 2000)
    let stack = made.sampled.stack(["main", "insert(_:)"])
    for time in stride(from: 0, to: 10_000, by: 10) { made.allocate(10_000, at: time, in: stack, type: "Photos.Entry") }
    let report = try #require(try made.report())
    guard case .object(let members) = MemoryJSON(report).value() else {
      Issue.record("no object")
      return
    }
    func keys(_ value: JSONValue?) -> [String] {
      switch value {
      case .object(let members): members.map(\.key)
      case .array(let values): keys(values.first)
      default: []
      }
    }
    let expected: KeyValuePairs = [
      "version": "", "rateBytes": "", "samples": "", "lost": "", "seconds": "", "allocated": "bytes errorBytes count",
      "live": "bytes errorBytes count atSeconds", "peak": "bytes errorBytes atSeconds functions",
      "process":
        "residentBytes peakResidentBytes anonymousBytes allocator heldBytes freeBytes trimmableBytes",
      "timeline": "atSeconds residentBytes anonymousBytes liveBytes",
      "functions":
        "function module file line own selfAllocatedBytes totalAllocatedBytes selfAllocatedCount totalAllocatedCount selfLiveBytes totalLiveBytes totalLiveCount errorBytes",
      "types": "type allocatedBytes allocatedCount liveBytes liveCount errorBytes",
      "work": "kind name queue units allocatedBytes allocatedCount liveBytes errorBytes",
      "growth":
        "function file line callers type bytes errorBytes bytesPerSecond survivingShare sinceSeconds",
    ]
    #expect(members.map(\.key) == expected.map(\.key))
    for (member, more) in zip(members, expected) {
      #expect(keys(member.value) == more.value.split(separator: " ").map(String.init), "\(member.key)")
    }
    // What nobody knows is null.
    #expect(MemoryJSON(report).value().bytes.count > 500)
    guard case .object(let process)? = members.first(where: { $0.key == "process" })?.value else { return }
    #expect(process.first { $0.key == "freeBytes" }?.value == .null)
  }

  @Test("two runs are compared by function and type, and what chance explains is told apart")
  func difference() throws {
    func made(_ size: Int, interval: Int = 1) throws -> MemoryReport {
      var made = MemoryTrace(interval: interval)
      let (load, other) = (made.sampled.stack(["main", "load()"]), made.sampled.stack(["main", "same()"]))
      for time in 0..<100 {
        made.allocate(size, at: time, in: load, type: "Photos.Item")
        made.allocate(64, at: time, in: other)
      }
      return try #require(try made.report())
    }
    let difference = MemoryDifference(from: try made(100), to: try made(300))
    let first = try #require(difference.functions.first)
    #expect(first.function.name == "load()" && first.allocated.bytes == 20_000 && first.allocated.isClear)
    #expect(difference.functions.last?.allocated.isClear == false)
    #expect(difference.types.first?.type == "Photos.Item" && difference.live.bytes == 20_000)
    // A hundred samples of one byte in a million vary more than that.
    let unclear = MemoryDifference(from: try made(100, interval: 1 << 20), to: try made(120, interval: 1 << 20))
    #expect(unclear.functions.allSatisfy { !$0.allocated.isClear })
    let text = MemoryDifferenceText(difference).text((before: "a", after: "b"))
    #expect(text.contains("+20 kB") && text.contains("load()"))
  }

  @Test("why there is nothing to show")
  func nothing() throws {
    #expect(
      MemoryWords.nothing(Trace(header: TraceHeader()), in: "run", isPart: false)
        == "run has no samples of memory: record them with 'optrace record --memory'")
    var refused = SampledTrace()
    refused.add("0 t0 memory refused=1")
    let trace = TraceBuilder.build(try TraceText.parse(refused.text))
    #expect(
      MemoryWords.nothing(trace, in: "run", isPart: false)
        == "memory was not sampled in run: a sanitizer has its own allocator")
  }

  @Test(
    "bytes have three digits at most",
    arguments: [
      (0.0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1234, "1.2 kB"), (12_345, "12 kB"), (999_600, "1 MB"),
      (1.5e9, "1.5 GB"), (-2e6, "-2 MB"), (.infinity, "?"),
    ])
  func words(bytes: Double, text: String) { #expect(bytesText(bytes) == text) }
}
