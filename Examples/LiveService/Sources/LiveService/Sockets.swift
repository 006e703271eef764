import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// As much of HTTP as two local programs need.
enum Sockets {
  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: inet_addr("127.0.0.1"))
    return address
  }

  private static func open() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func with(_ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
    var address = address(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
    }
  }

  private static func send(_ bytes: some Collection<UInt8>, to descriptor: Int32) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Until `isEnough`, or the end.
  private static func receive(from descriptor: Int32, isEnough: (String) -> Bool) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isEnough(text) {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text
  }

  /// Posts JSON to this machine; false where it was not taken.
  static func post(_ body: Data, port: UInt16, path: String) -> Bool {
    let descriptor = open()
    defer { close(descriptor) }
    guard with(port, { connect(descriptor, $0, $1) }) else { return false }
    let head = """
      POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r
      Content-Length: \(body.count)\r\nConnection: close\r\n\r\n
      """
    send(Array(head.utf8) + Array(body), to: descriptor)
    return receive(from: descriptor) { $0.contains("\r\n") }.hasPrefix("HTTP/1.1 200")
  }

  /// Answers every request with this text, on a thread of its own; false where the port is taken.
  static func serve(port: UInt16, _ text: @escaping @Sendable () -> String) -> Bool {
    let listener = open()
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard with(port, { bind(listener, $0, $1) }), listen(listener, 16) == 0 else { return false }
    Thread.detachNewThread {
      while true {
        let caller = accept(listener, nil, nil)
        guard caller >= 0 else { continue }
        _ = receive(from: caller) { $0.contains("\r\n\r\n") }
        let body = text()
        let head =
          "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        send(Array(head.utf8) + Array(body.utf8), to: caller)
        close(caller)
      }
    }
    return true
  }
}
