import Dispatch
import Foundation
import Synchronization

// Programs that are fine and look as if they hung: each waits for something that comes from outside, or later.

func asyncafterOp() {
  // An operation waits for a block whose time has not come, and others are behind it.
  let queue = limitedQueue(1)
  queue.name = "cron"
  queue.addOperation {
    let s = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + 600) { s.signal() }
    s.wait()
  }
  for _ in 0..<3 { queue.addOperation {} }
  queue.waitUntilAllOperationsAreFinished()
}

func asyncOpAfter() {
  final class Later: Operation, @unchecked Sendable {
    private let state = Mutex((false, false))
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.withLock { $0.0 } }
    override var isFinished: Bool { state.withLock { $0.1 } }
    override func start() {
      willChangeValue(forKey: "isExecuting")
      state.withLock { $0.0 = true }
      didChangeValue(forKey: "isExecuting")
      DispatchQueue.global().asyncAfter(deadline: .now() + 600) {
        self.willChangeValue(forKey: "isFinished")
        self.state.withLock { $0 = (false, true) }
        self.didChangeValue(forKey: "isFinished")
      }
    }
  }
  let queue = limitedQueue(1)
  queue.addOperation(Later())
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
}

func sigtermDaemon() {
  // A daemon whose operation runs until SIGTERM comes.
  let queue = limitedQueue(1)
  let stop = DispatchSemaphore(value: 0)
  signal(SIGTERM, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
  source.setEventHandler { stop.signal() }
  source.resume()
  queue.addOperation { stop.wait() }
  queue.addOperation { print("bye") }
  queue.waitUntilAllOperationsAreFinished()
}

func sigwaitDaemon() {
  let queue = limitedQueue(1)
  let stop = DispatchSemaphore(value: 0)
  queue.addOperation { stop.wait() }
  queue.addOperation { print("bye") }
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, SIGTERM)
  pthread_sigmask(SIG_BLOCK, &set, nil)
  var n: Int32 = 0
  sigwait(&set, &n)
  stop.signal()
  queue.waitUntilAllOperationsAreFinished()
}

func replStdin() {
  let queue = limitedQueue(1)
  let line = DispatchSemaphore(value: 0)
  queue.addOperation { line.wait() }
  queue.addOperation { print("got it") }
  while readLine() != nil { line.signal() }
  queue.waitUntilAllOperationsAreFinished()
}

func childProcess() {
  let queue = limitedQueue(1)
  let done = DispatchSemaphore(value: 0)
  queue.addOperation { done.wait() }
  queue.addOperation { print("child over") }
  Thread {
    var status: Int32 = 0
    var pid: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
    posix_spawnp(&pid, "sleep", nil, nil, words, environ)
    waitpid(pid, &status, 0)
    done.signal()
  }.start()
  queue.waitUntilAllOperationsAreFinished()
}

func processFoundation() {
  let queue = limitedQueue(1)
  queue.addOperation {
    let p = Process()
    p.executableURL = URL(fileURLWithPath: "/bin/sleep")
    p.arguments = ["600"]
    try? p.run()
    p.waitUntilExit()
  }
  queue.addOperation { print("child over") }
  queue.waitUntilAllOperationsAreFinished()
}

func socketAccept() {
  let queue = limitedQueue(1)
  let got = DispatchSemaphore(value: 0)
  queue.addOperation { got.wait() }
  queue.addOperation { print("request") }
  Thread {
    let (s, _) = listening()
    _ = accept(s, nil, nil)
    got.signal()
  }.start()
  queue.waitUntilAllOperationsAreFinished()
}

func socketReadSource() {
  let queue = limitedQueue(1)
  let got = DispatchSemaphore(value: 0)
  let (s, _) = listening()
  let source = DispatchSource.makeReadSource(fileDescriptor: s, queue: DispatchQueue(label: "net"))
  source.setEventHandler { got.signal() }
  source.resume()
  queue.addOperation { got.wait() }
  queue.addOperation { print("request") }
  queue.waitUntilAllOperationsAreFinished()
  source.cancel()
}

func pipeReadOp() {
  let queue = limitedQueue(1)
  var ends: [Int32] = [0, 0]
  pipe(&ends)
  let start = ends[0]
  queue.addOperation {
    var b = [UInt8](repeating: 0, count: 10)
    _ = read(start, &b, 10)
  }
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
}

func runloopTimer() {
  let queue = limitedQueue(1)
  let tick = DispatchSemaphore(value: 0)
  queue.addOperation { tick.wait() }
  queue.addOperation { print("tick") }
  let timer = Timer(fire: Date(timeIntervalSinceNow: 600), interval: 600, repeats: true) { _ in tick.signal() }
  RunLoop.main.add(timer, forMode: .default)
  while true { RunLoop.main.run(until: Date(timeIntervalSinceNow: 300)) }
}

func dispatchTimer() {
  let queue = limitedQueue(1)
  let tick = DispatchSemaphore(value: 0)
  let timer = DispatchSource.makeTimerSource(queue: .global())
  timer.schedule(deadline: .now() + 600)
  timer.setEventHandler { tick.signal() }
  timer.resume()
  queue.addOperation { tick.wait() }
  queue.addOperation { print("tick") }
  queue.waitUntilAllOperationsAreFinished()
  timer.cancel()
}

func sleepingThread() {
  let queue = limitedQueue(1)
  let tick = DispatchSemaphore(value: 0)
  queue.addOperation { tick.wait() }
  queue.addOperation { print("tick") }
  Thread {
    sleep(600)
    tick.signal()
  }.start()
  queue.waitUntilAllOperationsAreFinished()
}

func sleepingOp() {
  let queue = limitedQueue(2)
  for _ in 0..<2 { queue.addOperation { sleep(600) } }
  for _ in 0..<3 { queue.addOperation {} }
  queue.waitUntilAllOperationsAreFinished()
}

func taskSleep() {
  let done = DispatchSemaphore(value: 0)
  Task {
    try? await Task.sleep(for: .seconds(600))
    done.signal()
  }
  done.wait()
}

func taskStreamSocket() {
  let (s, _) = listening()
  let (stream, next) = AsyncStream.makeStream(of: Int.self)
  Thread {
    while true {
      let c = accept(s, nil, nil)
      if c < 0 { break }
      next.yield(1)
    }
  }.start()
  Task { for await _ in stream { print("request") } }
  dispatchMain()
}

func idleDispatchMain() {
  DispatchQueue.global().async { print("started") }
  dispatchMain()
}

func idleRunloop() {
  OperationQueue().addOperation { print("started") }
  RunLoop.main.add(Port(), forMode: .default)
  while true { RunLoop.main.run(until: Date(timeIntervalSinceNow: 3600)) }
}

func inotifyWatcher() {
  let queue = limitedQueue(1)
  let changed = DispatchSemaphore(value: 0)
  queue.addOperation { changed.wait() }
  queue.addOperation { print("changed") }
  Thread {
    let n = inotify_init()
    inotify_add_watch(n, "/tmp", UInt32(IN_DELETE_SELF))
    var b = [UInt8](repeating: 0, count: 4096)
    _ = read(n, &b, 4096)
    changed.signal()
  }.start()
  queue.waitUntilAllOperationsAreFinished()
}

func eventfdPoll() {
  let queue = limitedQueue(1)
  let changed = DispatchSemaphore(value: 0)
  queue.addOperation { changed.wait() }
  queue.addOperation { print("changed") }
  Thread {
    let (s, _) = listening()
    var p = pollfd(fd: s, events: Int16(POLLIN), revents: 0)
    _ = poll(&p, 1, -1)
    changed.signal()
  }.start()
  queue.waitUntilAllOperationsAreFinished()
}

func flock() {
  // Whoever has the file open may unlock it: other processes, too.
  let queue = limitedQueue(1)
  queue.addOperation {
    let path = NSTemporaryDirectory() + "optrace-lock-\(getpid())"
    let first = open(path, O_RDWR | O_CREAT, 0o600), second = open(path, O_RDWR)
    unlink(path)
    _ = flock(first, LOCK_EX)
    _ = flock(second, LOCK_EX)
  }
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
}

func busy() {
  let queue = limitedQueue(1)
  queue.addOperation {
    var x = 1
    let end = Date(timeIntervalSinceNow: 600)
    while Date() < end { x &+= x }
    print(x)
  }
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
}

func longPollUrlsessionLike() {
  // A continuation that a socket's source resumes.
  let (s, _) = listening()
  let done = DispatchSemaphore(value: 0)
  Task {
    await withCheckedContinuation { (c: CheckedContinuation<Void, Never>) in
      let source = DispatchSource.makeReadSource(fileDescriptor: s, queue: .global())
      source.setEventHandler {
        source.cancel()
        c.resume()
      }
      source.resume()
    }
    done.signal()
  }
  done.wait()
}

enum Catalogue {
  static let shared: Int = {
    sleep(600)
    return 1
  }()
}

func slowInitialiser() {
  // Two wait for what a third one makes, which takes its time.
  let queue = OperationQueue()
  for _ in 0..<3 { queue.addOperation { print(Catalogue.shared) } }
  queue.waitUntilAllOperationsAreFinished()
}

func copies() {
  // All its time goes into calls of the system, for five seconds.
  let queue = limitedQueue(1)
  queue.addOperation {
    let null = open("/dev/null", O_WRONLY), zero = open("/dev/zero", O_RDONLY)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let end = Date(timeIntervalSinceNow: 5)
    while Date() < end {
      read(zero, &buffer, buffer.count)
      write(null, buffer, buffer.count)
    }
  }
  queue.waitUntilAllOperationsAreFinished()
}

func suspendedUntilInput() {
  // A queue that somebody at the terminal lets go on.
  let queue = limitedQueue(1)
  queue.isSuspended = true
  queue.addOperation { print("go") }
  if readLine() != nil { queue.isSuspended = false }
  queue.waitUntilAllOperationsAreFinished()
}

func laterUntilInput() {
  // The same with an operation that is added later.
  let queue = limitedQueue(1)
  let first = BlockOperation {}, second = BlockOperation {}
  second.addDependency(first)
  queue.addOperation(second)
  if readLine() != nil { queue.addOperation(first) }
  queue.waitUntilAllOperationsAreFinished()
}

nonisolated(unsafe) let healthy: KeyValuePairs<String, () -> Void> = [
  "asyncafter-op": asyncafterOp,
  "async-op-after": asyncOpAfter,
  "sigterm-daemon": sigtermDaemon,
  "sigwait-daemon": sigwaitDaemon,
  "repl-stdin": replStdin,
  "child-process": childProcess,
  "copies": copies,
  "suspended-until-input": suspendedUntilInput,
  "later-until-input": laterUntilInput,
  "slow-initialiser": slowInitialiser,
  "process-foundation": processFoundation,
  "socket-accept": socketAccept,
  "socket-read-source": socketReadSource,
  "pipe-read-op": pipeReadOp,
  "runloop-timer": runloopTimer,
  "dispatch-timer": dispatchTimer,
  "sleeping-thread": sleepingThread,
  "sleeping-op": sleepingOp,
  "task-sleep": taskSleep,
  "task-stream-socket": taskStreamSocket,
  "idle-dispatch-main": idleDispatchMain,
  "idle-runloop": idleRunloop,
  "inotify-watcher": inotifyWatcher,
  "eventfd-poll": eventfdPoll,
  "flock": flock,
  "busy": busy,
  "long-poll-urlsession-like": longPollUrlsessionLike,
]

func listening() -> (Int32, UInt16) {
  let s = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  _ = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(s, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
  listen(s, 10)
  return (s, 0)
}
