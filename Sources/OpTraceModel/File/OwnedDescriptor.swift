#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An open descriptor and its only owner: it is closed when its owner goes or says so, and never twice. A number that is
/// closed a second time may be somebody else's by then.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// For calls that leave it open. Not to be kept.
  package let number: Int32

  /// Takes over what the system has just given.
  ///
  /// - Returns: nil where it has given none; `errno` says why.
  package init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { _ = systemClose(number) }

  /// Closes it now.
  ///
  /// - Returns: the system's error number, or nil. It tells of writes that have failed late.
  package consuming func close() -> Int32? {
    let number = number
    discard self
    // Interrupted, it is closed all the same.
    return systemClose(number) == 0 || errno == EINTR ? nil : errno
  }
}

private func systemClose(_ number: Int32) -> Int32 { close(number) }
