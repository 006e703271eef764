import Dispatch
import Foundation

// More programs that hang for good, by way of dispatch queues, the main thread, and children.

/// The configuration never comes, so the queue stays suspended.
func dispatchQueueSuspended() {
  let queue = DispatchQueue(label: "events"), sent = DispatchGroup()
  queue.suspend()
  for number in 0..<3 { queue.async(group: sent) { print("sent", number) } }
  sent.wait()
  queue.resume()
}

func dispatchQueueInactive() {
  let queue = DispatchQueue(label: "importer", attributes: .initiallyInactive), done = DispatchGroup()
  queue.async(group: done) { print("imported") }
  done.wait()
  queue.activate()
}

/// Whoever reads the settings waits for a change of the settings.
func barrierBehindReader() {
  let settings = DispatchQueue(label: "settings", attributes: .concurrent), renamed = DispatchGroup()
  settings.sync {
    DispatchQueue.global().async(group: renamed) { settings.sync(flags: .barrier) { print("renamed") } }
    renamed.wait()
    print("read")
  }
}

/// Whoever reads the cache adds to it.
func barrierInsideReader() {
  let cache = DispatchQueue(label: "cache", attributes: .concurrent), done = DispatchGroup()
  DispatchQueue.global().async(group: done) {
    cache.sync { cache.sync(flags: .barrier) { print("added") } }
  }
  done.wait()
}

/// What others may signal, too, as far as its memory tells.
nonisolated(unsafe) var signals: [DispatchSemaphore] = []

/// The callback comes on the main queue, and the main thread waits for it.
func callbackOnMainQueue() {
  let loaded = DispatchSemaphore(value: 0)
  signals.append(loaded)
  DispatchQueue.global().async { DispatchQueue.main.async { loaded.signal() } }
  loaded.wait()
}

/// The callback comes on the queue whose work waits for it.
func callbackOnOwnQueue() {
  let store = DispatchQueue(label: "store"), done = DispatchGroup(), read = DispatchSemaphore(value: 0)
  signals.append(read)
  store.async(group: done) {
    DispatchQueue.global().async { store.async { read.signal() } }
    read.wait()
  }
  done.wait()
}

/// The bridge from old code blocks the thread that the task needs.
func blockedMainActor() {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    try? await Task.sleep(nanoseconds: 10_000_000)
    await MainActor.run { print("shown") }
    done.signal()
  }
  done.wait()
}

/// Starts a program that writes a megabyte into a pipe.
private func writer() -> (child: pid_t, pipe: Int32) {
  var ends: [Int32] = [0, 0]
  pipe(&ends)
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
  posix_spawn_file_actions_addclose(&actions, ends[0])
  posix_spawn_file_actions_addclose(&actions, ends[1])
  var child: pid_t = 0
  var words = [strdup("head"), strdup("-c"), strdup("1000000"), strdup("/dev/zero"), nil]
  posix_spawnp(&child, "head", &actions, nil, &words, environ)
  close(ends[1])
  return (child, ends[0])
}

/// The pipe is full, and only this process reads from it.
func childWithFullPipe() {
  let (child, _) = writer()
  let done = DispatchGroup()
  DispatchQueue.global().async(group: done) {
    var status: Int32 = 0
    waitpid(child, &status, 0)
  }
  done.wait()
}

/// Somebody else reads from it, later.
func childWithReader() {
  let (child, pipe) = writer()
  var words = [strdup("sh"), strdup("-c"), strdup("sleep 600; cat > /dev/null"), nil]
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, pipe, 0)
  var reader: pid_t = 0
  posix_spawnp(&reader, "sh", &actions, nil, &words, environ)
  var status: Int32 = 0
  waitpid(child, &status, 0)
}

/// A timer resumes it, so it is no hang.
func dispatchQueueResumedLater() {
  let queue = DispatchQueue(label: "throttle"), done = DispatchGroup()
  queue.suspend()
  queue.async(group: done) { print("sent") }
  DispatchQueue.global().asyncAfter(deadline: .now() + 600) { queue.resume() }
  done.wait()
}

/// Somebody else may still signal.
func mainActorAndInput() {
  let done = DispatchSemaphore(value: 0)
  Task.detached { await MainActor.run { print("shown") } }
  Thread {
    _ = readLine()
    done.signal()
  }.start()
  done.wait()
}

nonisolated(unsafe) let brokenDispatch: KeyValuePairs<String, () -> Void> = [
  "barrier-inside-reader": barrierInsideReader, "callback-on-main-queue": callbackOnMainQueue,
  "callback-on-own-queue": callbackOnOwnQueue, "dispatch-queue-suspended": dispatchQueueSuspended,
  "dispatch-queue-inactive": dispatchQueueInactive,
  "barrier-behind-reader": barrierBehindReader, "blocked-main-actor": blockedMainActor,
  "child-with-full-pipe": childWithFullPipe,
]

nonisolated(unsafe) let healthyDispatch: KeyValuePairs<String, () -> Void> = [
  "dispatch-queue-resumed-later": dispatchQueueResumedLater, "main-actor-and-input": mainActorAndInput,
  "child-with-reader": childWithReader,
]
