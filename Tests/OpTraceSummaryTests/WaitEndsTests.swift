import OpTraceBlame
import OpTraceFormat
import OpTraceModel
import OpTraceSummary
import OpTraceText
import TestSupport
import Testing

/// What waits lasted for: the end of the way along those who had what was waited for.
@Suite("Ends of waits") struct WaitEndsTests {
  /// `load()` waits 6 ms for a semaphore that `store()` signals: that waits 5 ms for the disk, and runs for 1 ms.
  private func summary(signalledBy signaller: String) throws -> Summary {
    var service = ServiceTrace()
    let (holder, waiter) = (service.task(0, "store()"), service.task(0, "load()"))
    service.run(10, holder, thread: 2)
    service.run(20, waiter, thread: 3)
    service.add(50, 2, "blocked #\(holder) object=0x1 kind=disk age=0")
    service.add(50, 2, "at \(service.trace.stack(["store()", "write()"]))")
    service.add(50, 3, "blocked #\(waiter) object=0x7000 kind=semaphore age=0")
    service.add(50, 3, "at \(service.trace.stack(["load()"]))")
    service.add(5050, 2, "unblocked #\(holder) object=0x1 kind=disk")
    service.add(6050, 3, "unblocked #\(waiter) object=0x7000 kind=semaphore")
    service.add(6050, 3, signaller.replacing("#holder", with: "#\(holder)"))
    service.end(6100, holder, thread: 2)
    service.end(6150, waiter, thread: 3)
    return Summary(of: try service.built())
  }

  private func words(_ wait: Summary.Wait) -> [String] {
    wait.ends.map { "\(Int(($0.share * 100).rounded())) % \($0.kind.rawValue) \($0.words)" }
  }

  @Test func timeIsPassedOnToWhatTheSignallerDid() throws {
    let summary = try summary(signalledBy: "signalled #holder object=0x7000 kind=semaphore age=0 thread=t2")
    let wait = try #require(summary.waits.longest.first { $0.object?.kind == .semaphore })
    #expect(
      words(wait) == [
        "83 % call sync to a disk in 'write()' (main.swift:3), called by 'store()'",
        "17 % code 'store()' (main.swift:1)",
      ])
    #expect(wait.ends.first?.code?.function == "write()")
  }

  @Test func aWaitThatNobodySignalledHasNoEnd() throws {
    let summary = try summary(signalledBy: "mark #0 \"nobody\"")
    let wait = try #require(summary.waits.longest.first { $0.object?.kind == .semaphore })
    #expect(words(wait) == [])
  }

  @Test func jsonTellsTheEnds() throws {
    let summary = try summary(signalledBy: "signalled #holder object=0x7000 kind=semaphore age=0 thread=t2")
    let json = String(decoding: summary.json.bytes, as: UTF8.self)
    #expect(json.contains("\"ends\""), "\(json)")
    #expect(json.contains("sync to a disk in 'write()' (main.swift:3), called by 'store()'"))
  }
}
