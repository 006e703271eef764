internal import Foundation
internal import OpTraceText

enum StandardError {
  /// Writes all of it, with a line end. A closed standard error is nobody's fault: not through `FileHandle`, which would
  /// trap.
  static func write(_ text: String) {
    var rest = ArraySlice(Array(TerminalText.harmless(text).utf8) + [UInt8(ascii: "\n")])
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var wanted = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wanted, 1, -1)
        continue
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
