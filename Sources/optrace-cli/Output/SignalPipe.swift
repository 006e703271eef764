import Foundation

/// Signals as bytes of a pipe, so that they can be polled together with other events.
///
/// Uses handlers, not `sigwait`, which needs the signals to be blocked in every thread. A thread that was made before,
/// for example for a progress line, may live a moment longer than its work, and a signal on it would have its default
/// effect.
struct SignalPipe {
  /// The descriptor to read or poll; it does not block.
  let descriptor: Int32

  /// From now on these signals end nothing. An ignored one, as under `nohup`, stays ignored. Only one pipe at a time.
  init(_ numbers: [Int32]) {
    var pair: [Int32] = [-1, -1]
    _ = pipe(&pair)
    for end in pair where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    descriptor = pair[0]
    End.write = pair[1]
    for number in numbers where !ignores(number) {
      signal(number) { number in
        // Only async-signal-safe calls.
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(End.write, &byte, 1)
        errno = error
      }
    }
  }

  /// The next signal that has come; nil: there is none.
  func take() -> Int32? {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
  }

  /// Waits for the next signal.
  func wait() -> Int32 {
    while true {
      if let number = take() { return number }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&wanted, 1, -1)
    }
  }
}

/// Set before a handler is installed that reads it.
private enum End {
  nonisolated(unsafe) static var write: Int32 = -1
}
