import Foundation

/// Signals as bytes of a pipe, so that who waits for other things too waits for them in the same way.
///
/// By handlers, and not by `sigwait`: that needs the signals to be blocked in every thread, and one that was made before, for
/// a line of progress perhaps, may live a moment longer than its work. There the signal would do what it does by default.
struct SignalPipe {
  /// To be read from, or polled; it does not block.
  let descriptor: Int32

  /// From here on these signals end nothing. One that is ignored, as under `nohup`, stays so. One pipe at a time.
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
        // Only calls that are safe in a handler.
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(End.write, &byte, 1)
        errno = error
      }
    }
  }

  /// The next one that has come; nil: there is none.
  func take() -> Int32? {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
  }

  /// The first one that comes.
  func wait() -> Int32 {
    while true {
      if let number = take() { return number }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&wanted, 1, -1)
    }
  }
}

/// Written before a handler is there that reads it.
private enum End {
  nonisolated(unsafe) static var write: Int32 = -1
}
