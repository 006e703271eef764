import CRecorderTestSupport
import Foundation
import OpTrace

/// A program that has work to do and tells what came of it, in a situation that makes recording hard. It knows nothing of
/// a trace: the environment says whether there is one, and what it prints must not depend on that.
enum HostProgram {
  /// `path` is where a trace may be, so that it can be removed or cut.
  static func run(in situation: String, path: String) {
    print("begin")
    before(situation)
    print("first \(work(named: "first"))")
    during(situation, path: path)
    print("last \(work(named: "last"))")
    exit(5)
  }

  private static func before(_ situation: String) {
    switch situation {
    case "descriptors-start":
      // None is left when the recorder begins, and none is lost by its failure.
      // How many there are depends on what the process was started with.
      let before = test_take_descriptors(256)
      _ = TraceRecorder.default
      test_give_descriptors()
      let after = test_take_descriptors(256)
      test_give_descriptors()
      print("had some: \(before > 0), lost: \(before - after)")
    case "file-size-start":
      test_limit_file_size(10_000)
    case "addresses-start":
      test_limit_addresses(test_addresses() + 1 << 30)
    case "other-user":
      // A super-user may write anywhere.
      if geteuid() == 0 { print("user \(setuid(65_534) == 0)") }
    default:
      break
    }
  }

  private static func during(_ situation: String, path: String) {
    switch situation {
    case "descriptors-growth":
      print("files \(test_take_descriptors(256) > 100)")
      marks(20_000)
      test_give_descriptors()
    case "file-size-growth":
      test_limit_file_size(300_000)
      marks(40_000)
      print("file \(writesFile(bytes: 200_000, path + ".own"))")
    case "addresses-start":
      print("map \(test_can_map(128 << 20))")
    case "addresses-later":
      // As `ulimit -v` would, had it been called before; a program may do so at any time.
      test_limit_addresses(4 << 30)
      print("map \(test_can_map(1 << 30)) memory \(takesMemory(megabytes: 256))")
    case "addresses-growth":
      test_limit_addresses(4 << 30)
      test_take_addresses()
      marks(3_000_000)
      test_give_addresses()
      print("map \(test_can_map(1 << 30))")
    case "deleted":
      unlink(path)
      marks(40_000)
    case "shrunk-to-nothing", "shrunk-to-half":
      marks(40_000)
      truncate(path, situation == "shrunk-to-half" ? 500_000 : 0)
      marks(40_000)
    case "threads":
      print("threads \(threads(10_000))")
    case "fork":
      print("children \((0..<20).map { _ in forkedChild() })")
    default:
      // Where the space is short from the start, this is what fills it.
      marks(40_000)
    }
  }

  // MARK: What the program does

  /// Operations with dependencies on two queues; the result depends on each of them.
  private static func work(named name: String) -> Int {
    let sum = Sum()
    let queues = [TracedOperationQueue(name: "\(name) a"), TracedOperationQueue(name: "\(name) b")]
    var last: Operation?
    for number in 1...400 {
      let operation = TracedBlockOperation(name: "\(name) \(number)") { sum.add(number) }
      if number % 3 == 0, let last { operation.addDependency(last) }
      queues[number % 2].addOperation(operation)
      last = operation
    }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
    return sum.value
  }

  private static func marks(_ count: Int) {
    guard let recorder = TraceRecorder.default else { return }
    for _ in 0..<count { recorder.mark("mark") }
  }

  private static func writesFile(bytes: Int, _ path: String) -> Bool {
    FileManager.default.createFile(atPath: path, contents: Data(count: bytes))
  }

  private static func takesMemory(megabytes: Int) -> Bool {
    guard let memory = malloc(megabytes << 20) else { return false }
    memset(memory, 1, megabytes << 20)
    free(memory)
    return true
  }

  private static func threads(_ count: Int) -> Int {
    let sum = Sum()
    for _ in 0..<count / 50 {
      let group = DispatchGroup()
      for _ in 0..<50 {
        group.enter()
        Thread {
          TracedBlockOperation(name: "on a thread") { sum.add(1) }.start()
          TraceRecorder.default?.mark("ends")
          group.leave()
        }.start()
      }
      group.wait()
    }
    return sum.value
  }

  /// While other threads record.
  private static func forkedChild() -> Int32 {
    let queue = TracedOperationQueue(name: "busy")
    queue.addOperations((0..<50).map { _ in TracedBlockOperation {} }, waitUntilFinished: false)
    let status = test_run_in_fork { TraceRecorder.default?.mark("in a child") }
    queue.waitUntilAllOperationsAreFinished()
    return status
  }

  private final class Sum: @unchecked Sendable {
    private let lock = NSLock()
    private var sum = 0
    func add(_ number: Int) { lock.withLock { sum += number } }
    var value: Int { lock.withLock { sum } }
  }
}
