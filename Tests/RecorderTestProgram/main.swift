// Programs that do to a recorder what can't be done inside a test process: die, fork, exec, run out of space.
// Prints what it did; the tests read that and the trace.
import CRecorderTestSupport
import Foundation
import OpTrace

test_buffer_lines()

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let mode = arguments[1]
let path = arguments[2]

func record(_ configuration: TraceRecorder.Configuration = .init()) -> TraceRecorder {
  do {
    return try TraceRecorder(writingTo: URL(fileURLWithPath: path), configuration: configuration)
  } catch {
    print("error: \(error)")
    exit(3)
  }
}

func run(_ count: Int, on queue: OperationQueue) {
  queue.addOperations((0..<count).map { _ in TracedBlockOperation {} }, waitUntilFinished: true)
}

nonisolated(unsafe) var forgotten: TraceRecorder?

switch mode {
case "kill":
  // Tells how many operations are over, and goes on until it is killed.
  let recorder = record()
  let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder)
  var done = 0
  while true {
    run(100, on: queue)
    done += 100
    print("done \(done)")
  }

case "hang":
  let recorder = record()
  let queue = TracedOperationQueue(name: "stuck", maxConcurrentOperationCount: 1, recorder: recorder)
  queue.addOperation(named: "holder") { while true { sleep(60) } }
  queue.addOperation(named: "waiter") {}
  usleep(200_000)
  print("hanging")
  while true { sleep(60) }

case "fork":
  let recorder = record()
  TraceRecorder.default = recorder
  SyncParent(name: "before").start()
  let status = test_run_in_fork {
    SyncParent(name: "in child").start()
    TraceRecorder.default?.mark("from child")
    // Neither of them may touch the parent's file.
    try? TraceRecorder.default?.stop()
  }
  SyncParent(name: "after").start()
  print("child \(status) parent \(recorder.isRecording)")
  try? recorder.stop()

case "exec":
  // The same process number and the same path: the second recorder must leave the first one's file alone.
  let recorder = record()
  TraceRecorder.default = recorder
  SyncParent(name: "first image").start()
  let next = arguments.count > 3 ? "done" : "exec"
  if next == "exec" {
    var words: [UnsafeMutablePointer<CChar>?] = ["program", "exec", path, "again"].map { (word: String) in strdup(word)
    }
    words.append(nil)
    execv("/proc/self/exe", words)
    exit(4)
  }
  print(recorder.url.lastPathComponent)

case "file-size-limit":
  test_limit_file_size(200 * 1024)
  let recorder = record()
  let queue = TracedOperationQueue(name: "work", recorder: recorder)
  for _ in 0..<50 { run(200, on: queue) }
  print("lost \(recorder.lostRecordCount > 0)")
  try? recorder.stop()

case "address-limit":
  // Halves of what is left would do for the recorder, and not for the program.
  test_limit_addresses(4 << 30)
  let before = test_can_map(5 << 29)
  let recorder = record()
  let queue = TracedOperationQueue(name: "work", recorder: recorder)
  run(200, on: queue)
  print("before \(before) after \(test_can_map(5 << 29)) lost \(recorder.lostRecordCount)")
  try? recorder.stop()

case "work":
  // A fixed amount; says whether anything was lost.
  let recorder = record()
  let queue = TracedOperationQueue(name: "work", recorder: recorder)
  for _ in 0..<50 { run(200, on: queue) }
  let lost = recorder.lostRecordCount
  do {
    try recorder.stop()
    print("stopped lost \(lost > 0)")
  } catch {
    print("stop failed: \(error)")
  }

case "forgotten":
  // Neither the default nor one of its own is stopped by hand; the default is even replaced.
  TraceRecorder.default = record()
  forgotten = record()
  TraceRecorder.default = nil
  run(10, on: TracedOperationQueue(name: "work", recorder: forgotten))
  exit(0)

case "environment":
  // Records by the environment alone, and is not stopped by hand.
  let queue = TracedOperationQueue(name: "by environment")
  run(10, on: queue)
  print("recording \(TraceRecorder.default != nil)")

case "cut-file":
  // Somebody empties the file under the recorder's hands; the program goes on.
  let recorder = record()
  let queue = TracedOperationQueue(name: "work", recorder: recorder)
  run(200, on: queue)
  truncate(path, 0)
  run(200, on: queue)
  print("recording \(recorder.isRecording)")
  do {
    try recorder.stop()
    print("stopped")
  } catch {
    print("stop failed")
  }

case "bus-error":
  // One that has nothing to do with the recorder: its handler is called as if there were no recorder.
  if arguments.last == "handled" { test_exit_on_bus_error(9) }
  let recorder = record()
  test_cause_bus_error(path + ".other")
  print("went on, recording \(recorder.isRecording)")

case "replace-default":
  // One queue, two recorders, one after the other; the second one's file is the fourth argument.
  let queue = TracedOperationQueue(name: "lives on", maxConcurrentOperationCount: 3)
  for (name, file) in [("first", path), ("second", arguments.last ?? path)] {
    let recorder = try TraceRecorder(writingTo: URL(fileURLWithPath: file))
    TraceRecorder.default = recorder
    queue.addOperations([SyncParent(name: name)], waitUntilFinished: true)
    try recorder.stop()
  }

case "late-default":
  SyncParent(name: "unseen").start()
  let recorder = record()
  TraceRecorder.default = recorder
  SyncParent(name: "seen").start()
  try recorder.stop()

case "closed-streams":
  // As some daemons do: the next files that are opened get these numbers. It goes on to write to them.
  for stream in [Int32(0), 1, 2] { close(stream) }
  run(10, on: TracedOperationQueue(name: "by environment"))
  let words = [UInt8](repeating: 0x41, count: 4096)
  for stream in [Int32(0), 1, 2] { _ = write(stream, words, words.count) }
  exit(9)

case "host":
  HostProgram.run(in: arguments.last ?? "", path: path)

default:
  let isKnown =
    try runHookMode(mode, path: path, recorder: { record() })
    || runHookTrapMode(mode, recorder: { record() })
    || runBlockingMode(mode, path: path, recorder: { record() })
    || runAloneMode(mode, recorder: { record() }) || runTaskMode(mode, recorder: record)
  if !isKnown { exit(64) }
}

final class SyncParent: TracedOperation, @unchecked Sendable {}
