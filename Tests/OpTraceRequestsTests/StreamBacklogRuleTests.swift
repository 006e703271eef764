import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// Times are in microseconds.
@Suite("Doctor: a stream whose reader does not keep up")
struct StreamBacklogRuleTests {
  private func found(_ service: Log, end: Int = 7_000_000) throws -> [Finding] {
    Diagnosis(of: try service.trace.built(end: end)).findings.filter { $0.code == "stream-backlog" }
  }

  /// A service whose requests yield entries into a stream, and a task that reads these, and waits for a disk with each.
  private struct Log {
    /// So many it had to wait for, one each 100 ms: how often it waited for the disk with each.
    var waited = Array(repeating: 1, count: 20)
    /// Then so many that were there already, how long each takes, and how often it waits for the disk with each.
    var handled = 60
    var each = 60_000
    var writes = 1
    /// From the first request to the last.
    var served = 6_000_000
    /// Who yields: requests, or a thread without work.
    var isFedByRequests = true
    /// What comes last: it waits for the next entry; or it ends.
    var waitsAgain = false
    var ends = false
    /// The stack where it waits for an entry, below its own function.
    var next = "libswift_Concurrency.so!AsyncStream.Iterator.next()"
    /// If it had to wait for one entry only: it came with this request, not after 110 ms.
    var firstRequest: Int?
    /// What calls the disk when it has not had to wait.
    var save = "save()"

    /// When it got the last entry for which it had to wait.
    var since: Int { firstRequest.map { Self.request($0) + 15 } ?? (10_000 + waited.count * 100_000) }

    private static func request(_ number: Int) -> Int { 20_000 + 19_000 * number }

    var trace: ServiceTrace {
      var make = ServiceTrace()
      let connections = (0..<4).map { make.connection(10 + 10 * $0) }
      for (number, time) in stride(from: 20_000, through: 20_000 + served - 2_040, by: 19_000).enumerated() {
        make.round(time, connections[number % 4], ["price()"], waited: 2_000)
      }
      // The last request ends when `served` is over.
      make.round(20_000 + served - 2_040, make.connection(50), ["price()"], waited: 2_000)
      let reader = make.task(90, "write()", thread: 3)
      make.run(91, reader, thread: 3)
      for (number, writes) in waited.enumerated() {
        let time = firstRequest == nil ? 10_000 + (number + 1) * 100_000 : since
        make.suspend(firstRequest == nil ? time - 90_000 : 100, reader, at: ["write()", next], thread: 3)
        make.resume(
          time, reader, by: isFedByRequests ? connections[(firstRequest ?? number) % 4] : 0,
          thread: isFedByRequests ? 2 : 5)
        make.run(time, reader, thread: 3)
        guard number < waited.count - 1 else { continue }
        write(reader, time, lasting: 5_000, writes, at: "save()", to: &make)
      }
      for number in 0..<handled {
        write(reader, since + number * each, lasting: each - 10, writes, at: save, to: &make)
      }
      let time = since + handled * each
      if waitsAgain { make.suspend(time, reader, at: ["write()", next], thread: 3) }
      if ends { make.end(time, reader, thread: 3) }
      return make
    }

    private func write(
      _ reader: Int, _ time: Int, lasting: Int, _ writes: Int, at save: String, to make: inout ServiceTrace
    ) {
      for write in 0..<writes {
        let (from, to) = (time + lasting * write / writes, time + lasting * (write + 1) / writes)
        make.suspend(from + 2, reader, at: ["write()", save], thread: 3)
        make.resume(to - 2, reader)
        make.run(to - 1, reader, thread: 3)
      }
    }
  }

  @Test("a reader that has not had to wait for an element is told, with the place where it waits instead")
  func backlog() throws {
    let all = try found(Log(served: 5_900_000), end: 6_010_000)
    #expect(
      all.map(\.title) == [
        "'write()' does not keep up with the stream that it reads: the next element has always been there "
          + "for 4 s (main.swift:4)"
      ])
    let finding = try #require(all.first)
    #expect(finding.severity == .warning)
    #expect(finding.location?.function == "write()" && finding.location?.lineText == "main.swift:4")
    #expect(
      finding.explanation
        == "task 'write()' (#6) has handled at least 60 elements since it last had to wait for one. What is not read yet is in "
        + "the stream's buffer, which grows unless it has a limit.")
    #expect(
      finding.evidence.map(\.text) == [
        "it got an element that it had waited for, the last time",
        "between two elements it waits, in save() at main.swift:6",
      ])
    #expect(finding.evidence.first?.time == 2_010_000_000)
    #expect(try found(Log(next: "libswift_Concurrency.so!AsyncThrowingStream.Iterator.next()")).count == 1)
  }

  @Test("50 elements, three seconds, a third of the time of requests: with less there is no finding")
  func limits() throws {
    #expect(try found(Log(handled: 50)).count == 1)
    #expect(try found(Log(handled: 49)).isEmpty)
    let short = Log(each: 40_000, served: 4_000_000)
    #expect(try found(short, end: short.since + 3_000_000).count == 1)
    #expect(try found(short, end: short.since + 2_999_999).isEmpty)
    // It begins late, and requests go on.
    let late = Log(waited: Array(repeating: 1, count: 81), served: 12_000_000)
    #expect(try found(late, end: late.since + 4_000_000).count == 1)
    #expect(try found(late, end: late.since + 3_999_999).isEmpty)
  }

  @Test(
    "no finding: a burst that is emptied; a reader that ends; one that never falls behind; what requests do not feed")
  func healthy() throws {
    #expect(try found(Log(waitsAgain: true)).isEmpty)
    #expect(try found(Log(ends: true)).isEmpty)
    #expect(try found(Log(waited: Array(repeating: 1, count: 60), handled: 0)).isEmpty)
    #expect(try found(Log(isFedByRequests: false)).isEmpty, "such as lines of a file, for which nobody waits")
    #expect(try found(Log(next: "receive()")).isEmpty, "no stream")
  }

  @Test("waits are not taken for elements: as many belong to one as there were between two elements before")
  func severalWaits() throws {
    let three = Array(repeating: 3, count: 20)
    let finding = try #require(try found(Log(waited: three, handled: 50, writes: 3)).first)
    #expect(finding.explanation.contains(" has handled at least 50 elements "), "\(finding.explanation)")
    #expect(try found(Log(waited: three, handled: 49, writes: 3)).isEmpty)
    // One element, in sixty pieces, as one before.
    let pieces = Array(repeating: 1, count: 19) + [60, 1]
    #expect(try found(Log(waited: pieces, handled: 1, each: 3_600_000, writes: 60)).isEmpty)
  }

  @Test("a reader that may be late from its first element on is a note, by the requests like the one that fed it")
  func fromTheFirst() throws {
    let all = try found(Log(waited: [1], served: 5_900_000, firstRequest: 5), end: 6_115_015)
    #expect(
      all.map(\.title) == [
        "'write()' has not had to wait for an element of the stream that it reads for 6 s (main.swift:4), while 306 requests came "
          + "like the one that fed it then: if these feed it, too, it does not keep up"
      ])
    let finding = try #require(all.first)
    #expect(finding.severity == .note && finding.location?.function == "write()")
    #expect(
      finding.explanation.hasPrefix(
        "Nothing tells how often task 'write()' (#6) waits for one element, so it may be busy with a single one. "),
      "\(finding.explanation)")
    #expect(finding.evidence.last?.text == "instead it waits, in save() at main.swift:6")
    #expect(try found(Log(waited: [1], handled: 49, firstRequest: 5)).isEmpty)
    // 300 requests and 299, of which five of six ended while it waited.
    #expect(
      try found(Log(waited: [1], served: 5_791_000, firstRequest: 5)).first?.title.contains(" 300 req") == true)
    #expect(try found(Log(waited: [1], served: 5_772_000, firstRequest: 5)).isEmpty)
    #expect(
      try found(Log(waited: [1], firstRequest: 6)).isEmpty,
      "310 requests: of seven, six ended while it waited, so 44 elements")
    #expect(try found(Log(waited: [1])).isEmpty, "no request fed it then: that may be one element in many pieces")
  }

  @Test("no finding: it never waits there between two elements, so it may have left the stream")
  func elsewhere() throws {
    #expect(try found(Log(save: "report()")).isEmpty)
  }
}
