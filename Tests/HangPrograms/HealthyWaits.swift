import Dispatch
import Foundation

// More healthy programs that look like hangs: something from outside, or a time, lets them go on.

/// Two operations, of which the first does what it waits with.
private func first(_ body: @escaping @Sendable () -> Void) {
  let queue = limitedQueue(1)
  queue.addOperation(body)
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
}

/// One end of a connection whose other end stays silent.
private func connection() -> Int32 {
  var ends: [Int32] = [0, 0]
  socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
  return ends[0]
}

func datagram() {
  let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  _ = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, UInt32(MemoryLayout<sockaddr_in>.size)) }
  }
  first {
    var bytes = [UInt8](repeating: 0, count: 100)
    recv(socket, &bytes, bytes.count, 0)
  }
}

func selectInput() {
  first {
    var set = fd_set()
    withUnsafeMutableBytes(of: &set) { $0[0] = 1 }
    select(1, &set, nil, nil, nil)
  }
}

func pollTwo() {
  var pipe: [Int32] = [0, 0]
  Glibc.pipe(&pipe)
  let end = pipe[0]
  let done = DispatchSemaphore(value: 0)
  Thread {
    var both = [pollfd(fd: 0, events: 1, revents: 0), pollfd(fd: end, events: 1, revents: 0)]
    poll(&both, 2, -1)
    done.signal()
  }.start()
  first { done.wait() }
}

func upload() {
  let socket = connection()
  first {
    let bytes = [UInt8](repeating: 0, count: 1 << 24)
    write(socket, bytes, bytes.count)
  }
}

func readsChild() {
  first {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/sleep")
    child.arguments = ["600"]
    let output = Pipe()
    child.standardOutput = output
    try? child.run()
    _ = output.fileHandleForReading.readDataToEndOfFile()
  }
}

func fifo() {
  let path = NSTemporaryDirectory() + "fifo-\(getpid())"
  mkfifo(path, 0o600)
  first { close(open(path, O_RDONLY)) }
}

func semaphoreWithLimit() {
  let semaphore = DispatchSemaphore(value: 0)
  first { _ = semaphore.wait(timeout: .now() + 600) }
}

func conditionWithLimit() {
  let condition = NSCondition()
  first {
    condition.lock()
    _ = condition.wait(until: Date(timeIntervalSinceNow: 600))
    condition.unlock()
  }
}

func mainQueueLater() {
  let queue = limitedQueue(1)
  let done = DispatchSemaphore(value: 0)
  queue.addOperation { done.wait() }
  queue.addOperation {}
  DispatchQueue.main.asyncAfter(deadline: .now() + 600) { done.signal() }
  dispatchMain()
}

func websocket() {
  let socket = connection()
  Task {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: .global())
      source.setEventHandler {
        continuation.resume()
        source.cancel()
      }
      source.resume()
      keptSource = source
    }
    exit(0)
  }
  dispatchMain()
}
nonisolated(unsafe) var keptSource: (any DispatchSourceProtocol)?

func continuationLater() {
  Task {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      DispatchQueue.global().asyncAfter(deadline: .now() + 600) { continuation.resume() }
    }
    exit(0)
  }
  dispatchMain()
}

func tasksThatSleep() {
  Task {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { try? await Task.sleep(for: .seconds(600)) } }
    }
    exit(0)
  }
  dispatchMain()
}

func taskWaitsForInput() {
  let done = DispatchSemaphore(value: 0)
  Thread {
    _ = readLine()
    done.signal()
  }.start()
  Task {
    done.wait()
    exit(0)
  }
  dispatchMain()
}

func backOff() {
  // A queue that is stopped until it is time to try again.
  let queue = limitedQueue(1)
  queue.isSuspended = true
  queue.addOperation {}
  DispatchQueue.global().asyncAfter(deadline: .now() + 600) { queue.isSuspended = false }
  queue.waitUntilAllOperationsAreFinished()
}

func throttle() {
  let queue = limitedQueue(1)
  queue.isSuspended = true
  for _ in 0..<3 { queue.addOperation {} }
  Thread {
    sleep(600)
    queue.isSuspended = false
  }.start()
  queue.waitUntilAllOperationsAreFinished()
}

func resumedBySignal() {
  let queue = limitedQueue(1)
  queue.isSuspended = true
  queue.addOperation {}
  signal(SIGUSR1, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
  source.setEventHandler { queue.isSuspended = false }
  source.resume()
  queue.waitUntilAllOperationsAreFinished()
}

func cron() {
  let queue = limitedQueue(1)
  let timer = DispatchSource.makeTimerSource(queue: .global())
  timer.schedule(deadline: .now() + 600, repeating: 600)
  timer.setEventHandler { queue.addOperation {} }
  timer.resume()
  queue.addOperation {}
  dispatchMain()
}

func idleServer() {
  let queue = limitedQueue(4)
  queue.addOperation {}
  queue.waitUntilAllOperationsAreFinished()
  signal(SIGTERM, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
  source.setEventHandler { exit(0) }
  source.resume()
  dispatchMain()
}

nonisolated(unsafe) let healthyWaits: KeyValuePairs<String, () -> Void> = [
  "datagram": datagram, "select-input": selectInput, "poll-two": pollTwo, "upload": upload, "reads-child": readsChild,
  "fifo": fifo, "semaphore-with-limit": semaphoreWithLimit, "condition-with-limit": conditionWithLimit,
  "main-queue-later": mainQueueLater, "websocket": websocket, "continuation-later": continuationLater,
  "tasks-that-sleep": tasksThatSleep, "task-waits-for-input": taskWaitsForInput, "back-off": backOff,
  "throttle": throttle, "resumed-by-signal": resumedBySignal, "cron": cron, "idle-server": idleServer,
]
