import Foundation
import TestSupport
import Testing

@Suite("optrace summary", .ownThread)
struct SummaryCommandTests {
  private let folder: Scratch
  private let small: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
  }

  #if os(Linux)
    @Test("a full ring never shows more operations in a queue than the program added")
    func flooded() throws {
      let trace = folder.path("flood.optrace")
      let program = try RunningProgram(
        Command.executable,
        ["record", "--flight-recorder", "256K", "-o", trace, "--", RecordFolder.program, "flood"], input: .pipe)
      #expect(program.line() != nil)
      let deadline = ContinuousClock.now + .seconds(60)
      var looks = 0
      // Count only traces in which the ring has overwritten records.
      while looks < 3, ContinuousClock.now < deadline {
        let result = try Command.run("summary", "--json", trace)
        guard result.status == 0,
          let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any],
          let states = document["states"] as? [String: Int], let loss = document["loss"] as? [String: Any],
          (loss["overwrittenBytes"] as? Int ?? 0) > 0
        else { continue }
        looks += 1
        #expect((states["pending"] ?? 0) + (states["ready"] ?? 0) <= 200)
      }
      #expect(looks == 3)
      program.closeInput()
      program.end()
    }
  #endif

  @Test("the keys of version 1 are a contract: Documentation/json.md")
  func keys() throws {
    let result = try Command.run("summary", "--json", try folder.write("waits.txt", Array(Fixture.waits.utf8)))
    #expect(result.status == 0)
    let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let group = JSONPaths.group
    let times =
      "waitingForDependenciesSeconds:number waitingForSlotSeconds:number "
      + "waitingForThreadSeconds:number"
    let distribution = "count:number totalSeconds:number p50Seconds:number p95Seconds:number maxSeconds:number"
    var expected = group(
      "",
      "version:number operationCount:number wallSeconds:number queues[] classes[] slowest[] threads[] places[] dispatchQueues[] blocks[] "
        + "tasks[] taskWaits[] taskRuns[]"
    )
    expected.formUnion(
      group(
        ".states",
        "pending:number ready:number executing:number finished:number cancelled:number failed:number "
          + "unknown:number"))
    expected.formUnion(
      group(
        ".queues[]",
        "id:number name:string limit:number limit:null suspended:number operationCount:number utilisation:number "
          + "peakExecuting:number busySeconds:number function:null file:null line:null module:null " + times))
    expected.formUnion(group(".classes[]", "name:string operationCount:number"))
    for time in ["waitingForDependencies", "waitingForSlot", "waitingForThread", "running"] {
      expected.formUnion(group(".classes[].\(time)", distribution))
    }
    expected.formUnion(
      group(
        ".slowest[]",
        "id:number name:string class:string state:string queue:number runningSeconds:number "
          + "function:null file:null line:null module:null added:null made:null " + times))
    expected.formUnion(group(".criticalPath", "runningSeconds:number share:number steps[] remaining[] " + times))
    expected.formUnion(
      group(
        ".criticalPath.steps[]",
        "id:number name:string cause:string causeId:number causeId:null beganSeconds:number endedSeconds:number "
          + "runningSeconds:number " + times))
    expected.formUnion(
      group(
        ".threads[]", "id:number systemId:number name:string executionCount:number busySeconds:number busyShare:number")
    )
    expected.formUnion(group(".waits", "count:number unfinishedCount:number totalSeconds:number longest[]"))
    expected.formUnion(
      group(
        ".waits.longest[]",
        "operation:number operation:null operationName:string operationName:null thread:number count:number "
          + "unfinishedCount:number totalSeconds:number maxSeconds:number lastSignal:null ends[]"))
    expected.formUnion(
      group(".waits.longest[].target", "kind:string id:number name:string name:null address:string address:null"))
    expected.formUnion(
      group(
        ".waits.longest[].lastSignal",
        "operation:number operation:null operationName:string operationName:null thread:number thread:null "
          + "atSeconds:number"))
    expected.formUnion(
      group(
        ".loss",
        "complete:number lostRecords:number reasons{} damage[] overwrittenBytes:number completeSinceSeconds:null unknownRecords:number gaps[]"
      ))
    let found = JSONPaths.of(document)
    #expect(found.subtracting(expected) == [])
    #expect(expected.subtracting(found) == [])
  }

  @Test("JSON has exact times in seconds")
  func values() throws {
    let output = try Command.run("summary", "--json", small).output
    #expect(output.hasPrefix("{\n  \"version\": 1,\n  \"operationCount\": 4,\n  \"wallSeconds\": 0.0000099,\n"))
    #expect(output.contains("\"busySeconds\": 0.000007,"))
    #expect(output.contains("\"pending\": 1,\n    \"ready\": 0,\n    \"executing\": 0,\n    \"finished\": 3,"))
  }

  @Test("a file name that ends with .json gets JSON, any other the text")
  func formatByName() throws {
    for (name, isJSON) in [("s.json", true), ("S.JSON", true), ("s.txt", false), ("json", false)] {
      let file = folder.path(name)
      #expect(try Command.run("summary", small, "-o", file).status == 0)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.hasPrefix("{\n  \"version\"") == isJSON, "\(name)")
    }
  }

  @Test("a negative number is refused as negative")
  func negative() throws {
    let result = try Command.run("summary", small, "--slowest", "-1")
    #expect(result.status == 64 && result.errors.contains("--slowest must not be negative"), "\(result.errors)")
  }

  @Test("the tables are printed exactly")
  func text() throws {
    let result = try Command.run("summary", small, "--slowest", "1")
    #expect(result.status == 0)
    #expect(
      result.output == """
        fixture (pid 4711): 4 operations in 9.90 µs
          3 finished, 1 pending

        Queues
          queue  limit  operations  utilisation  peak  running  waiting for a slot  for dependencies
          work       1           2         71 %     1  7.00 µs             3.00 µs                 0
          disk    none           2         15 %     1  1.50 µs                   0           17.3 µs

        Classes
          class  count  time                        total      p50      p95      max
          Parse      1  running                   4.00 µs  4.00 µs  4.00 µs  4.00 µs
                        waiting for a slot        3.00 µs  3.00 µs  3.00 µs  3.00 µs
                        waiting for a thread       800 ns   800 ns   800 ns   800 ns
          Load       1  running                   3.00 µs  3.00 µs  3.00 µs  3.00 µs
                        waiting for a thread       900 ns   900 ns   900 ns   900 ns
          Store      2  running                   1.50 µs  1.50 µs  1.50 µs  1.50 µs
                        waiting for a thread       500 ns        0   500 ns   500 ns
                        waiting for dependencies  17.3 µs  7.70 µs  9.60 µs  9.60 µs

        Slowest operations
          operation  id  class  queue  state     running   waited
          parse      #2  Parse  work   finished  4.00 µs  3.80 µs

        Critical path
          8.50 µs running of 9.90 µs (86 %), 0 waiting for a slot, 0 waiting for dependencies
          operation  id  after             waited  running  share
          load       #1                    900 ns  3.00 µs   30 %
          parse      #2  slot of load           0  4.00 µs   40 %
          store      #3  dependency parse  500 ns  1.50 µs   15 %

        Threads
          thread   tid  operations     busy  share
          worker  4712           3  8.50 µs   86 %

        """)
  }

  @Test("waits are listed with waiter, object, time and last signal")
  func waits() throws {
    let path = try folder.write("waits.txt", Array(Fixture.waits.utf8))
    let result = try Command.run("summary", path)
    #expect(result.status == 0)
    #expect(
      result.output.hasSuffix(
        """

        Waits of threads
          who          id  waited for                     count  open    total      max  last signalled by
          store        #3  dispatch queue com.example.db      1     1  1.50 µs  1.50 µs  main thread
          load         #1  semaphore 1                        2     0   800 ns   400 ns  parse #2
          main thread      load #1                            1     0   300 ns   300 ns
          load         #1  group 2                            1     0    90 ns    90 ns  unknown

        """), "\(result.output)")
    #expect(try Command.run("summary", path, "--slowest", "1").output.contains("\n  and 4 more\n"))
    #expect(try Command.run("validate", path).status == 0)
  }

  @Test("names cannot control the terminal, and columns are counted as terminals do")
  func names() throws {
    let text = Fixture.small.replacing("\"load\"", with: "\"\\u{1B}[31m\"").replacing("\"parse\"", with: "\"日本👩‍👩‍👧\"")
    let path = try folder.write("names.txt", Array(text.utf8))
    let result = try Command.run("summary", path)
    #expect(result.status == 0)
    #expect(!result.output.unicodeScalars.contains("\u{1B}"))
    // "日本" and the emoji take six columns on a terminal.
    #expect(result.output.contains("\n  日本👩‍👩‍👧     #2  Parse  work   finished  4.00 µs  3.80 µs\n"))
  }

  /// The times of a plain operation on a traced queue are not recorded.
  @Test("operations with partial coverage are counted separately, and add no waits")
  func inPart() throws {
    let whole = try Command.run("summary", "--json", small).output
    let path = try folder.write(
      "part.txt",
      Array(
        (Fixture.small + """
          11000 t1 created #5 class="BlockOperation" coverage=1
          11000 t1 enqueued #5 queue=q1 priority=0
          11000 t1 ready #5
          90000 t1 mark #0 "later"

          """).utf8))
    let result = try Command.run("summary", path)
    #expect(result.output.contains("\n  3 finished, 1 pending, 1 recorded in part\n"), "\(result)")
    let json = try Command.run("summary", "--json", path).output
    #expect(json.contains("\"failed\": 0,\n    \"unknown\": 1\n"))
    func queues(_ json: String) -> Substring { json[(json.range(of: "\"queues\"")?.lowerBound ?? json.startIndex)...] }
    let waits = queues(json).split(separator: "\n").filter { $0.contains("waitingForSlotSeconds") }.prefix(1)
    #expect(waits == queues(whole).split(separator: "\n").filter { $0.contains("waitingForSlotSeconds") }.prefix(1))
  }

  @Test("an empty trace has an empty summary")
  func empty() throws {
    let text = Fixture.small.split(separator: "\n\n", maxSplits: 1)[0] + "\n\n"
    let path = try folder.write("none.txt", Array(text.utf8))
    let result = try Command.run("summary", path)
    #expect(result == Command.Result(status: 0, output: "fixture (pid 4711): 0 operations\n", errors: ""))
    #expect(try Command.run("summary", "--json", path).output.contains("\"wallSeconds\": 0,"))
  }

  @Test("an error's text is cut only on a terminal") func longErrors() throws {
    let words = (1...40).map { "reason \($0)" }.joined(separator: ", ")
    let text = Fixture.small.replacing("5000 t2 finished #1\n", with: "5000 t2 failed #1 \"\(words)\"\n")
    let path = try folder.write("failed.txt", Array(text.utf8))
    #expect(try Command.run("summary", path).output.contains("\(words)\n"))
    #if os(Linux)
      let terminal = try Command.run(path, shell: #"script -qec "stty cols 80; \"$optrace\" summary \"$1\"" /dev/null"#)
      #expect(terminal.output.contains("reason 1,") && terminal.output.contains("reason 40"))
      #expect(!terminal.output.contains("reason 20"), "in the middle it is cut")
    #endif
  }

  @Test("a failed operation is listed with its error")
  func failed() throws {
    let folder = try Scratch()
    let text = Fixture.small.replacingOccurrences(of: " finished #1", with: " failed #1 \"no \\\"host\\\"\"")
    let output = try Command.run("summary", try folder.write("failed.txt", Array(text.utf8))).output
    #expect(output.contains("Failed operations\n"))
    #expect(output.contains("load       #1  work   no \"host\""))
  }
}
