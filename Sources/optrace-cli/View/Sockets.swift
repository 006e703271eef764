import Foundation
import OpTraceModel

/// Sockets that do not block, and that are closed in programs that are started.
enum Sockets {
  static func make() -> OwnedDescriptor? {
    #if canImport(Darwin)
      return prepared(socket(AF_INET, SOCK_STREAM, 0))
    #else
      return OwnedDescriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0))
    #endif
  }

  /// Binds it to 127.0.0.1, and returns the port; nil with `errno` if that failed.
  static func bind(_ number: Int32, port: Int) -> Int? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        systemBind(number, $0, size) == 0 && getsockname(number, $0, &size) == 0
      }
    }
    return isBound ? Int(in_port_t(bigEndian: address.sin_port)) : nil
  }

  static func accept(_ listener: Int32) -> OwnedDescriptor? {
    #if canImport(Darwin)
      guard let socket = prepared(systemAccept(listener, nil, nil)) else { return nil }
    #else
      guard let socket = OwnedDescriptor(systemAccept(listener, nil, nil, flags)) else { return nil }
    #endif
    var yes: Int32 = 1
    // A small answer is sent in two pieces, and the second one is not to wait for the client's acknowledgement.
    setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return socket
  }

  #if canImport(Darwin)
    private static func prepared(_ number: Int32) -> OwnedDescriptor? {
      guard let socket = OwnedDescriptor(number) else { return nil }
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      _ = fcntl(number, F_SETFL, O_NONBLOCK)
      var yes: Int32 = 1
      setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
      return socket
    }
  #else
    private static let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #endif
}

private func systemBind(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
  bind(socket, address, size)
}

#if canImport(Darwin)
  private func systemAccept(
    _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ size: UnsafeMutablePointer<socklen_t>?
  ) -> Int32 {
    accept(listener, address, size)
  }
#else
  /// Hidden behind `_GNU_SOURCE`. With `accept` and `fcntl`, a program that is started in between would keep the connection open.
  @_silgen_name("accept4")
  private func systemAccept(
    _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ size: UnsafeMutablePointer<socklen_t>?,
    _ flags: Int32
  ) -> Int32
#endif
