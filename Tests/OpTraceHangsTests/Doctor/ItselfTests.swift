import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel
import Testing

/// A thread that waits for its own process by way of the system.
struct OwnDoor: CustomTestStringConvertible, Sendable {
  var name: String
  var reason: SleepReason
  var source: EventSource?
  var end: EventEnd
  var process = 0
  /// What the doctor says that the thread waits for.
  var phrase: String
  var testDescription: String { name }

  var fields: String {
    let lock = (source?.rawValue ?? 0) | end.rawValue << 16 | UInt64(process) << 20
    return "state=2 call=0 reason=\(reason.rawValue) lock=0x\(String(lock, radix: 16))"
  }

  static let all = [
    OwnDoor(
      name: "a pipe", reason: .input, source: .pipe, end: .own, phrase: "a pipe that no other process has"),
    OwnDoor(
      name: "a set of sockets", reason: .poll, source: .socket, end: .own,
      phrase: "a socket that no other process has"),
    OwnDoor(
      name: "a lock of a file", reason: .input, source: .file, end: .own,
      phrase: "the lock of a file, which this process has already"),
    OwnDoor(
      name: "a stopped child", reason: .child, end: .stopped, process: 4711,
      phrase: "process 4711, which is stopped"),
    OwnDoor(
      name: "a child that reads", reason: .child, end: .reader, process: 4711,
      phrase: "process 4711, which waits until this process writes to it"),
    OwnDoor(
      name: "a child that writes", reason: .child, end: .writer, process: 4711,
      phrase: "process 4711, which waits until this process reads what it writes"),
    OwnDoor(
      name: "a child behind two pipes", reason: .poll, source: .pipe, end: .reader, process: 4711,
      phrase: "process 4711, which waits until this process writes to it"),
  ]
}

@Suite("Doctor: threads that wait for their own process") struct ItselfTests {
  private static func diagnosis(
    _ threads: [(Int, LockCase.Doing)], lines: String = "", end: Int = 9_000_000
  ) throws -> Diagnosis {
    let text = LockCase.code + lines + LockCase.look(at: 1_100_000, still: true, threads)
    return Diagnosis(of: try DoctorCase.trace(text, end: end))
  }

  @Test("such a wait alone is suspected, and named with its line", arguments: OwnDoor.all)
  func alone(_ door: OwnDoor) throws {
    let found = try Self.diagnosis([(1, .seen(door.fields)), (2, .idle)])
    #expect(found.verdict == .suspected)
    let finding = try #require(found.findings.first)
    #expect(finding.code == "never-signalled" && finding.severity == .warning && found.findings.count == 1)
    #expect(finding.title == "the main thread waits for \(door.phrase), in step1() at main.swift:10")
    #expect(finding.location?.line == 10)
    #expect(finding.ending == "Only this process can end it.")
  }

  @Test("before --stall-after it says nothing", arguments: OwnDoor.all)
  func early(_ door: OwnDoor) throws {
    let found = try Self.diagnosis([(1, .seen(door.fields)), (2, .idle)], end: 2_200_000)
    #expect(found.findings.isEmpty && found.verdict == .healthy)
  }

  @Test("an operation that waits like that is named", arguments: OwnDoor.all)
  func inOperation(_ door: OwnDoor) throws {
    let found = try Self.diagnosis(
      [(1, .inSemaphore), (2, .seen(door.fields))],
      lines: LockCase.executing(1, "fetch", on: 2) + "30 t1 wait-queue q1\n")
    #expect(found.verdict == .suspected)
    #expect(
      found.findings.first?.title == "'fetch' (#1) waits for \(door.phrase), in step2() at main.swift:20")
    #expect(found.findings.first?.operations == [OperationID(1)])
  }

  @Test("with any other door it is no finding", arguments: OwnDoor.all)
  func withDoors(_ door: OwnDoor) throws {
    for other in OpenDoor.all {
      let text = LockCase.code + "0 t0 dispatch-queue d3 width=0 global \"global\"\n" + other.lines
      let seen = LockCase.look(at: 1_100_000, still: true, [(1, .seen(door.fields)), (2, .idle)] + other.threads)
      let found = Diagnosis(of: try DoctorCase.trace(text + seen, end: 9_000_000, header: other.header))
      let wrong = found.findings.filter { $0.severity != .note }
      #expect(wrong.isEmpty && found.verdict == .healthy, "\(other.name): \(wrong)")
    }
  }

  @Test("a thread of a library alone that waits like that is idle, and no finding", arguments: OwnDoor.all.prefix(2))
  func inLibrary(_ door: OwnDoor) throws {
    let found = try Self.diagnosis([(1, .inSemaphore), (7, .seen(door.fields))])
    #expect(found.findings.isEmpty && found.verdict == .healthy, "\(found.findings)")
  }

  @Test("with a time limit it is a door like others", arguments: OwnDoor.all)
  func timed(_ door: OwnDoor) throws {
    let found = try Self.diagnosis([(1, .seen(door.fields + " timed")), (2, .idle)])
    #expect(found.findings.isEmpty && found.verdict == .healthy)
  }

  @Test("no state is proven while a thread waits like that, and each is suspected", arguments: SilentCase.all)
  func silence(_ one: SilentCase) throws {
    for door in OwnDoor.all {
      let open = OpenDoor(name: door.name, threads: [(5, .seen(door.fields))])
      let early = Diagnosis(of: try one.trace(open, end: 2_200_000))
      #expect(!early.hasErrors && early.verdict != .suspected, "\(door.name): \(early.findings)")
      let late = Diagnosis(of: try one.trace(open, end: 9_000_000))
      #expect(!late.hasErrors && late.verdict == .suspected, "\(door.name): \(late.verdict) \(late.findings)")
    }
  }

  @Test("Foundation's wait for a child is told with what the child does")
  func waitUntilExit() throws {
    let writer = try #require(OwnDoor.all.first { $0.end == .writer })
    let lines = """
      0 t0 image i3 build="c3" page=128 pages=4 "/usr/lib/swift/linux/libFoundation.so"
      0 t0 frame f11 image=i3 offset=64 caller=f1
      0 t0 symbol f11 "Foundation.Process.waitUntilExit() -> ()"
      0 t0 frame f12 image=i3 offset=128

      """
    let ownTimer = "state=2 call=232 reason=8 lock=0x400"
    func diagnosis(
      _ child: String, main: String = "state=2 call=271 reason=13", timer: String = ownTimer
    ) throws -> Diagnosis {
      let seen = """
        1100000 t6 seen t1 cpu=3 \(main) still
        1100000 t6 at f11
        1100000 t6 seen t3 cpu=3 \(timer) still
        1100000 t6 at f9
        1100000 t6 seen t2 cpu=3 \(child) still
        1100000 t6 at f12
        1100000 t6 looked seen=3

        """
      return Diagnosis(of: try DoctorCase.trace(LockCase.code + lines + seen, end: 9_000_000))
    }
    let found = try diagnosis(writer.fields)
    #expect(found.verdict == .suspected)
    #expect(
      found.findings.first?.title == "the main thread waits for \(writer.phrase), in step1() at main.swift:10")
    // A child that works.
    let other = OwnDoor(name: "", reason: .child, end: .other, process: 4711, phrase: "")
    #expect(try diagnosis(other.fields).verdict == .healthy)
    // A timer of the program, or one in its run loop, may read from the child, or end it.
    #expect(try diagnosis(writer.fields, timer: "state=2 call=232 reason=8 lock=0x10").verdict == .healthy)
    #expect(try diagnosis(writer.fields, main: "state=2 call=271 reason=8 lock=0x10").verdict == .healthy)
  }
}
