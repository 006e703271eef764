// A program that knows nothing of OpTrace, for the tests of `optrace record`: it does what its arguments say, one after
// the other, and prints what it sees.
import Foundation

/// At once, and whole lines.
func say(_ text: Any, to descriptor: Int32 = STDOUT_FILENO) {
  let bytes = Array("\(text)\n".utf8)
  _ = write(descriptor, bytes, bytes.count)
}

func work(_ count: Int) {
  let queue = OperationQueue()
  queue.name = "work"
  queue.addOperations((0..<count).map { _ in BlockOperation {} }, waitUntilFinished: true)
}

@inline(never) func loadUsers(_ queue: OperationQueue, then done: @escaping @Sendable () -> Void) {
  let operation = BlockOperation { usleep(1000) }
  operation.completionBlock = done
  queue.addOperation(operation)
}

@inline(never) func resizeAll(_ queue: OperationQueue) {
  for _ in 0..<3 { queue.addOperation { usleep(100) } }
  let named = BlockOperation { usleep(100) }
  named.name = "the last one"
  queue.addOperation(named)
}

final class Importing: Operation, @unchecked Sendable {}

/// Blocks without names, each with its own code.
func blocks() {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  loadUsers(queue) {}
  resizeAll(queue)
  let importing = Importing()
  queue.addOperation(importing)
  queue.addBarrierBlock { usleep(100) }
  queue.waitUntilAllOperationsAreFinished()
}

/// Does what it is told line by line: `N MICROSECONDS` gives a queue as many operations of that length, every second after the one
/// before it, `blocks N` a dispatch queue as many blocks, `hang` two operations that wait for each other, `hold` one that goes on
/// until `let go`; `wait` waits until all are over. It says when that is done, and ends with its input.
func feed() {
  let queue = OperationQueue()
  queue.name = "feed"
  queue.maxConcurrentOperationCount = 2
  var count = 0
  var last: Operation?
  let blocks = DispatchQueue(label: "feed.blocks")
  let held = DispatchSemaphore(value: 0)
  while let line = readLine() {
    if line.hasPrefix("blocks ") {
      for _ in 0..<(Int(line.dropFirst(7)) ?? 0) { blocks.async {} }
      say("fed")
      continue
    }
    if line == "hold" {
      queue.addOperation { held.wait() }
      say("fed")
      continue
    }
    if line == "let go" {
      held.signal()
      say("let go")
      continue
    }
    if line == "hang" {
      let cycle = [BlockOperation {}, BlockOperation {}]
      cycle[0].addDependency(cycle[1])
      cycle[1].addDependency(cycle[0])
      queue.addOperations(cycle, waitUntilFinished: false)
      say("fed")
      continue
    }
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2 else {
      queue.waitUntilAllOperationsAreFinished()
      blocks.sync {}
      say("done")
      continue
    }
    for _ in 0..<numbers[0] {
      let operation = BlockOperation { if numbers[1] > 0 { usleep(UInt32(numbers[1])) } }
      count += 1
      operation.name = "fed \(count)"
      if count % 2 == 0, let last { operation.addDependency(last) }
      last = operation
      queue.addOperation(operation)
    }
    say("fed")
  }
}

func words(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] { words.map { strdup($0) } + [nil] }

func own() -> String { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "" }

var rest = CommandLine.arguments.dropFirst()
while let step = rest.popFirst() {
  switch step {
  case "work":
    work(10)
    say("worked")

  case "feed":
    feed()

  case "blocks":
    blocks()

  case "burn":
    burn()
  case "dispatch":
    dispatchBlocks()

  case "die":
    kill(getpid(), SIGKILL)

  case "words":
    say(rest.joined(separator: "|"))
    rest = []

  case "copy":
    while let line = readLine() { say(line) }

  case "complain":
    say("a complaint", to: STDERR_FILENO)

  case "folder":
    guard chdir("/") == 0 else { exit(2) }

  case "pid":
    say(getpid())

  case "preloads":
    say(ProcessInfo.processInfo.environment["LD_PRELOAD"] ?? "none")

  case "pipes":
    var action = sigaction()
    sigaction(SIGPIPE, nil, &action)
    say(action.__sigaction_handler.sa_handler == nil ? "default" : "ignored")

  case "exec":
    var list = words([own()] + rest)
    execv(own(), &list)
    exit(3)

  case "child":
    // A program of its own with the next argument.
    guard let next = rest.popFirst() else { exit(2) }
    let child = Process()
    child.executableURL = URL(fileURLWithPath: own())
    child.arguments = [next]
    try child.run()
    child.waitUntilExit()

  case "signals":
    // Prints each signal that comes, until the one that ends a program politely.
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGCONT] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    say("listening")
    var number: Int32 = 0
    repeat {
      sigwait(&set, &number)
      say("signal \(number)")
    } while number != SIGTERM

  case "hang":
    say("hanging")
    while true { sleep(60) }

  case "compute":
    compute(seconds: 3)
    say("computed")

  case "idle":
    idle(seconds: 2)
    say("was idle")

  case "deaf":
    // It has to be killed.
    for number in [SIGTERM, SIGHUP, SIGINT] { signal(number, SIG_IGN) }

  case "cycle":
    // Each waits for the other; nobody waits for them.
    let queue = OperationQueue()
    queue.name = "cycle"
    let (first, second) = (BlockOperation {}, BlockOperation {})
    first.addDependency(second)
    second.addDependency(first)
    queue.addOperations([first, second], waitUntilFinished: false)

  case "barrier":
    // Runs although its queue is suspended.
    let queue = OperationQueue()
    let isOver = DispatchSemaphore(value: 0)
    queue.isSuspended = true
    queue.addBarrierBlock { isOver.signal() }
    isOver.wait()
    queue.isSuspended = false

  case "lock":
    let lock = NSLock()
    lock.lock()
    let queue = OperationQueue()
    queue.addOperation { lock.withLock {} }
    say("locked")
    queue.waitUntilAllOperationsAreFinished()
    lock.unlock()

  case "busy":
    // Works until standard input ends.
    Thread.detachNewThread {
      while readLine() != nil {}
      exit(0)
    }
    say("busy")
    while true {
      work(10)
      usleep(5000)
    }

  case "burn-on":
    // Burns until standard input ends.
    say("burning")
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, 0) == 0 { burn() }

  case "flood":
    // The same as fast as it can, with at most so many operations in its queue.
    Thread.detachNewThread {
      while readLine() != nil {}
      exit(0)
    }
    let room = DispatchSemaphore(value: 200)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 4
    say("flood")
    while true {
      room.wait()
      queue.addOperation { room.signal() }
    }

  case "environment":
    for name in ["LD_PRELOAD", "OPTRACE_RECORD", "OPTRACE_OUTPUT"] {
      say(ProcessInfo.processInfo.environment[name] ?? "none")
    }
    say((FileManager.default.contents(atPath: "/proc/self/environ") ?? Data()).base64EncodedString())

  case "await":
    guard let file = rest.popFirst() else { exit(2) }
    while access(file, F_OK) != 0 { usleep(1000) }

  case "at-once":
    _exit(0)

  case "stop":
    raise(SIGSTOP)
    say("continued")

  case "abort":
    signal(SIGABRT, SIG_DFL)
    abort()

  default:
    guard let status = Int32(step) else { exit(64) }
    exit(status)
  }
}
