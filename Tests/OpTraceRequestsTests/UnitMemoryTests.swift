import OpTraceModel
import OpTraceSamples
import OpTraceText
import TestSupport
import Testing

@testable import OpTraceRequests

@Suite("Memory that units of work allocate") struct UnitMemoryTests {
  /// Forty requests of one connection, which allocate 1,000 bytes each and give them back, and a hundred that they keep. Half of them
  /// make a task that allocates 200 bytes more.
  private func service(isSampled: Bool = true, interval: Int = 1) throws -> Trace {
    var make = ServiceTrace()
    let parse = make.trace.stack(["serve()", "parse()"])
    let cache = make.trace.stack(["serve()", "insert(_:)", "libswiftCore.so!swift_allocObject"])
    if isSampled { make.add(0, 0, "memory interval=\(interval) allocator=1 room=65536") }
    let connection = make.connection(10)
    var block = 0
    func allocate(_ time: Int, _ size: Int, _ stack: String, thread: Int = 2) {
      guard isSampled else { return }
      block += 1
      make.add(time, 6, "allocated \(stack) size=\(size) thread=t\(thread) number=a\(block)")
    }
    // In no unit.
    allocate(5, 7777, cache, thread: 4)
    for number in 0..<40 {
      let time = 1000 + number * 5000
      make.round(time, connection, ["answer()"], waited: 1000)
      allocate(time + 12, 1000, parse)
      if isSampled { make.add(time + 18, 6, "freed a\(block)") }
      allocate(time + 1035, 100, cache)
      guard number % 2 == 0 else { continue }
      let child = make.task(time + 15, "resize()", by: connection)
      make.run(time + 100, child, thread: 3)
      allocate(time + 110, 200, parse, thread: 3)
      if isSampled { make.add(time + 120, 6, "freed a\(block)") }
      make.end(time + 200, child, thread: 3)
    }
    return try make.built(end: 300_000)
  }

  @Test("a unit has what its work and the tasks that it makes allocate, and what of it lives")
  func sums() throws {
    let trace = try service()
    let requests = Requests(of: trace)
    let kind = try #require(requests.kinds.firstIndex { $0.count == 40 })
    let sums = try #require(UnitMemory(of: requests, in: trace))[kind]
    #expect(sums.allocated.bytes == 40 * 1100 + 20 * 200)
    #expect(sums.allocated.count == 100 && sums.allocated.error == 0)
    #expect(sums.left.bytes == 4000)
    #expect(sums.function?.name == "parse()")
    #expect(sums.left.each(of: 40).bytes == 100)
    // What was allocated outside of units belongs to none of them.
    let all = requests.kinds.indices.compactMap { UnitMemory(of: requests, in: trace)?[$0].allocated.bytes }
    #expect(all.reduce(0, +) == 48_000)
  }

  @Test("text and JSON tell of one unit, with the error")
  func words() throws {
    let trace = try service(interval: 4096)
    let requests = Requests(of: trace)
    let memory = try #require(UnitMemory(of: requests, in: trace))
    let text = RequestsText(requests, memory: memory).text(slowest: 1)
    #expect(text.contains("Memory that they allocate\n") && text.contains(" ± ") && text.contains("parse()"))
    guard case .object(let members) = RequestsJSON(requests, memory: memory).value(slowest: 1),
      case .array(let kinds)? = members.first(where: { $0.key == "kinds" })?.value,
      case .object(let kind)? = kinds.first, case .object(let found)? = kind.first(where: { $0.key == "memory" })?.value
    else {
      Issue.record("no memory in JSON")
      return
    }
    #expect(
      found.map(\.key) == [
        "samples", "allocatedBytes", "allocatedErrorBytes", "leftBytes", "leftErrorBytes", "function", "file", "line",
      ])
    guard case .integer(let error)? = found.first(where: { $0.key == "leftErrorBytes" })?.value else { return }
    // Forty blocks of 100 bytes, each seen with a chance of one in 41: the error of their mean is that of their sum, divided.
    #expect(error > 600 && error < 700)
  }

  @Test("without samples of memory nothing is told")
  func without() throws {
    let trace = try service(isSampled: false)
    let requests = Requests(of: trace)
    #expect(UnitMemory(of: requests, in: trace) == nil)
    #expect(!RequestsText(requests).text(slowest: 1).contains("Memory"))
    #expect(!String(decoding: RequestsJSON(requests).value(slowest: 1).bytes, as: UTF8.self).contains("leftBytes"))
  }
}
