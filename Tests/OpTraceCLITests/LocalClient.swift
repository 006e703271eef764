import Foundation
import OpTraceModel
import TestSupport

/// A connection to a server on this machine. It closes when it is released.
final class LocalClient {
  private let connection: OwnedDescriptor
  var descriptor: Int32 { connection.number }

  struct Refused: Error { let number: Int32 }

  /// `receiveBuffer`: the size of the system's receive buffer in bytes; small for a slow client.
  init(port: Int, receiveBuffer: Int32? = nil) throws {
    #if canImport(Darwin)
      let number = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #endif
    guard let connection = OwnedDescriptor(number) else { throw Refused(number: errno) }
    if var size = receiveBuffer {
      setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    // A failing test must end, so reading has a time limit.
    var longest = timeval(tv_sec: Int(patience), tv_usec: 0)
    setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &longest, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Refused(number: errno) }
    self.connection = connection
  }

  /// False if the server has closed the connection.
  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return sendQuietly(descriptor, bytes, bytes.count) == bytes.count
  }

  /// At most `count` bytes. Empty at the end or after an error.
  func receive(_ count: Int = 1 << 16) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &bytes, count, 0)
    return Array(bytes.prefix(max(0, got)))
  }

  func receiveAll() -> String {
    var bytes: [UInt8] = []
    while true {
      let piece = receive()
      if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece
    }
  }

  /// The answer to one request.
  static func answer(port: Int, to request: String) throws -> Answer {
    let client = try LocalClient(port: port)
    client.send(request)
    return Answer(client.receiveAll())
  }

  static func get(_ path: String, port: Int, method: String = "GET", _ headers: String...) throws -> Answer {
    try answer(port: port, to: head(path, port: port, method: method, headers))
  }

  static func head(_ path: String, port: Int, method: String = "GET", _ headers: [String] = []) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  struct Answer {
    var status = 0
    /// The names are in small letters.
    var headers: [String: String] = [:]
    var body = ""

    init(_ text: String) {
      guard let end = text.firstRange(of: "\r\n\r\n") else { return }
      let lines = text[..<end.lowerBound].split(separator: "\r\n")
      status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
      }
      body = String(text[end.upperBound...])
    }
  }
}

/// Sends without a SIGPIPE from a closed connection.
private func sendQuietly(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
  #if canImport(Darwin)
    send(descriptor, bytes, count, 0)
  #else
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
  #endif
}
