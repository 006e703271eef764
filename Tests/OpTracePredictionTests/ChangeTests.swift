import OpTraceModel
import OpTracePrediction
import TestSupport
import Testing

@Suite("Changes and their texts")
struct ChangeTests {
  private let trace: Trace

  init() {
    var trace = HandmadeTrace()
    let network = trace.queue("network", limit: 2)
    let disk = trace.queue("disk=a", limit: 1)
    trace.queue("twin")
    trace.queue("twin")
    trace.operation("load", on: network, began: 0, ended: 10)
    trace.operation("a>b", on: disk, after: [OperationID(1)], began: 10, ended: 20)
    trace.operation("a", on: disk, after: [OperationID(1)], began: 20, ended: 30)
    trace.operation("b>load", on: disk, began: 30, ended: 40)
    trace.trace.operations[2].className = "Other"
    trace.operation("shared", on: disk, began: 40, ended: 50)
    trace.operation("shared", on: disk, began: 50, ended: 60)
    trace.trace.operations[5].className = "Other"
    self.trace = trace.trace
  }

  private func effect(_ option: ChangeOption, _ value: String) throws(ChangeError) -> Change.Effect {
    try ChangeParser(trace).parse(option, value).effect
  }

  private func message(_ option: ChangeOption, _ value: String) -> String {
    do {
      _ = try effect(option, value)
      return ""
    } catch {
      return error.description
    }
  }

  @Test("values are split at the last sign and parsed for their option")
  func forms() throws {
    #expect(try effect(.limit, "network=3") == .limit(QueueID(1), 3))
    #expect(try effect(.limit, "disk=a=unlimited") == .limit(QueueID(2), nil))
    #expect(try effect(.faster, "Other=2.5") == .faster([2, 5], 2.5))
    #expect(try effect(.faster, "load=infinitely") == .faster([0], .infinity))
    #expect(try effect(.move, "Other=network") == .move([2, 5], to: QueueID(1)))
    #expect(try effect(.priority, "Other=veryLow") == .priority([2, 5], -8))
    #expect(try effect(.processors, "4") == .processors(4))
    #expect(try effect(.threads, "64") == .threads(64))
    #expect(try effect(.without, "a>load") == .without([2], dependencies: [0]))
    #expect(try effect(.without, "*>load") == .without([0, 1, 2, 3, 4, 5], dependencies: [0]))
    #expect(try effect(.limit, "twin (queue 3)=1") == .limit(QueueID(3), 1))
    #expect(try ChangeParser(trace).parse(.limit, "network=3").text == "--limit network=3")
  }

  @Test("each change has a description and a quoted option for a shell")
  func words() throws {
    let parser = ChangeParser(trace)
    func expect(_ option: ChangeOption, _ value: String, _ words: String, _ typed: String) throws {
      let change = try parser.parse(option, value)
      #expect(change.words == words)
      #expect(change.shellText == typed)
    }
    try expect(.limit, "network=1", "queue 'network' with 1 slot", "--limit network=1")
    try expect(.limit, "disk=a=3", "queue 'disk=a' with 3 slots", "--limit disk=a=3")
    try expect(.limit, "network=unlimited", "queue 'network' without a limit", "--limit network=unlimited")
    try expect(.limit, "twin (queue 3)=1", "queue 'twin (queue 3)' with 1 slot", "--limit 'twin (queue 3)=1'")
    try expect(.faster, "Other=2", "'Other' twice as fast", "--faster Other=2")
    try expect(.faster, "Other=2.5", "'Other' 2.5 times as fast", "--faster Other=2.5")
    try expect(.faster, "load=infinitely", "'load' in no time at all", "--faster load=infinitely")
    try expect(.move, "Other=network", "'Other' in queue 'network'", "--move Other=network")
    try expect(.merge, "disk=a=network", "queue 'disk=a' emptied into 'network'", "--merge disk=a=network")
    try expect(.without, "a>load", "'a' not after 'load'", "--without 'a>load'")
    try expect(.without, "a>*", "'a' without dependencies", "--without 'a>*'")
    try expect(.without, "b>load>load", "without 'b>load>load'", "--without 'b>load>load'")
    try expect(.priority, "Other=veryLow", "'Other' with priority veryLow", "--priority Other=veryLow")
    try expect(.processors, "1", "1 processor", "--processors 1")
    try expect(.threads, "64", "64 threads of each pool", "--threads 64")
  }

  @Test("errors are one sentence")
  func errors() {
    #expect(
      message(.limit, "network=0")
        == "--limit 'network=0': a limit of 0 starts nothing; expected QUEUE=N with N of at least 1, or QUEUE=unlimited"
    )
    #expect(
      message(.limit, "network") == "--limit 'network': expected QUEUE=N with N of at least 1, or QUEUE=unlimited")
    #expect(
      message(.limit, "network=99999999999999999999")
        == "--limit 'network=99999999999999999999': expected QUEUE=N with N of at least 1, or QUEUE=unlimited")
    #expect(message(.limit, "netwrk=1") == "--limit: no queue is called 'netwrk'")
    #expect(message(.limit, "twin=1") == "--limit: 'twin' may mean 'twin (queue 3)' or 'twin (queue 4)'")
    #expect(message(.faster, "Nobody=2") == "--faster: no class, function or operation is called 'Nobody'")
    for value in ["0", "-1", "nan", "inf", "x", "1e30"] {
      #expect(
        message(.faster, "Other=\(value)")
          == "--faster 'Other=\(value)': expected CLASS=K or FUNCTION=K, so many times as fast: above 0, or 'infinitely'"
      )
    }
    #expect(message(.faster, "shared=2") == "--faster: 'shared' may mean 'Other' or 'Step'")
    #expect(message(.merge, "network=network") == "--merge 'network=network': both are the same queue")
    #expect(
      message(.priority, "Other=top")
        == "--priority 'Other=top': expected CLASS=PRIORITY, one of veryLow, low, normal, high, veryHigh")
    #expect(message(.processors, "0") == "--processors '0': expected a number from 1 to 1024")
    #expect(message(.threads, "many") == "--threads 'many': expected a number from 1 to 4096")
    #expect(message(.without, "a") == "--without 'a': expected 'NAME>DEPENDENCY', '*' on a side means all")
    #expect(message(.without, "a>nobody") == "--without: no class, function or operation is called 'nobody'")
    #expect(
      message(.without, "a>b>load") == "--without: 'a>b>load' may mean 'a' waits for 'b>load' or 'a>b' waits for 'load'"
    )
  }

  @Test("changes that set one thing to two values contradict each other")
  func contradictions() throws {
    let parser = ChangeParser(trace)
    func check(_ changes: [(ChangeOption, String)]) -> String {
      do throws(ChangeError) {
        var parsed: [Change] = []
        for (option, value) in changes { parsed.append(try parser.parse(option, value)) }
        try Change.check(parsed)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(
      check([(.limit, "network=1"), (.limit, "network=2")])
        == "'--limit network=1' and '--limit network=2' contradict each other")
    #expect(check([(.limit, "network=1"), (.limit, "disk=a=2")]) == "")
    #expect(check([(.faster, "Other=1"), (.faster, "a=2")]) != "", "an operation of the class")
    #expect(check([(.move, "Other=network"), (.move, "Step=network")]) == "")
    #expect(check([(.merge, "disk=a=network"), (.limit, "disk=a=2")]) != "")
    #expect(check([(.merge, "disk=a=network"), (.limit, "network=2")]) == "")
    #expect(check([(.merge, "disk=a=network"), (.move, "Other=disk=a")]) != "")
    #expect(check([(.processors, "1"), (.processors, "2")]) != "")
    #expect(check([(.priority, "Other=low"), (.priority, "Other=low")]) != "")
  }

  @Test("a queue whose name contains the sign is found, also as the second queue of a merge")
  func signInName() throws {
    // The value is split at the last sign, and 'network=disk' is not a queue.
    #expect(message(.merge, "network=disk=a") == "--merge: no queue is called 'network=disk'")
    #expect(try effect(.merge, "disk=a=network") == .merge(QueueID(2), into: QueueID(1)))
  }
}
