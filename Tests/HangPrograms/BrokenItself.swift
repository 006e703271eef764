import Foundation

/// A pipe holds 64 KB, and its reader waits for the writer's end.
func foundationChildWithFullPipe() {
  let child = Process()
  let output = Pipe()
  child.executableURL = URL(fileURLWithPath: "/bin/sh")
  child.arguments = ["-c", "head -c 1000000 /dev/zero"]
  child.standardOutput = output
  try? child.run()
  child.waitUntilExit()
  print(output.fileHandleForReading.readDataToEndOfFile().count)
}

/// Who should read from the pipe waits for the queue.
func pipeToOneself() {
  let pipe = Pipe()
  let log = DispatchQueue(label: "log")
  log.sync { pipe.fileHandleForWriting.write(Data(repeating: 0, count: 200_000)) }
  log.async { print(pipe.fileHandleForReading.availableData.count) }
}

/// The same, but another process reads what the child writes, later.
func foundationChildWithReader() {
  let (child, reader) = (Process(), Process())
  let output = Pipe()
  for (process, words) in [(child, "head -c 1000000 /dev/zero"), (reader, "sleep 600; cat > /dev/null")] {
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", words]
  }
  child.standardOutput = output
  reader.standardInput = output
  try? child.run()
  try? reader.run()
  child.waitUntilExit()
}

/// The other end of the socket is another process's, which does not write yet.
func socketOfChild() {
  var ends: [Int32] = [0, 0]
  socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
  var words = [strdup("sh"), strdup("-c"), strdup("sleep 600; echo done >&3"), nil]
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, ends[1], 3)
  var child: pid_t = 0
  posix_spawnp(&child, "sh", &actions, nil, &words, environ)
  var wanted = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
  poll(&wanted, 1, -1)
}

nonisolated(unsafe) let brokenItself: KeyValuePairs<String, () -> Void> = [
  "foundation-child-with-full-pipe": foundationChildWithFullPipe, "pipe-to-oneself": pipeToOneself,
]

nonisolated(unsafe) let healthyItself: KeyValuePairs<String, () -> Void> = [
  "foundation-child-with-reader": foundationChildWithReader, "socket-of-child": socketOfChild,
]
