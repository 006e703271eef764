/// Reads the head of an HTTP request as its bytes arrive. It refuses a request as soon as that is malformed or too long, so a client
/// can make the server hold no more than these limits.
struct RequestHead {
  enum Progress {
    case incomplete
    case complete(LocalRequest)
    case refused(Refusal)
  }

  static let longestLine = 16 << 10
  static let longestHead = 64 << 10
  static let mostFields = 100

  private var line: [UInt8] = []
  private var size = 0
  /// Nil until the first line is complete.
  private var request: LocalRequest?

  mutating func read(_ bytes: ArraySlice<UInt8>) -> Progress {
    for byte in bytes {
      size += 1
      if byte == UInt8(ascii: "\n") {
        guard line.popLast() == UInt8(ascii: "\r") else { return .refused(.malformed) }
        if let request, line.isEmpty {
          return Self.hasSoundFraming(request) ? .complete(request) : .refused(.malformed)
        }
        if let refusal = endLine() { return .refused(refusal) }
        line.removeAll(keepingCapacity: true)
      } else {
        // A carriage return ends a line, or is an error.
        guard Self.isText(byte) || byte == UInt8(ascii: "\r"), line.last != UInt8(ascii: "\r") else {
          return .refused(.malformed)
        }
        line.append(byte)
      }
      if line.count > Self.longestLine || size > Self.longestHead { return .refused(.tooLong) }
    }
    return .incomplete
  }

  private mutating func endLine() -> Refusal? {
    if request != nil { return readField() }
    // Empty lines before a request are allowed.
    if line.isEmpty { return nil }
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty,
      parts[1].allSatisfy({ (0x21...0x7E).contains($0) }),
      parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8)
    else { return .malformed }
    request = LocalRequest(
      method: String(decoding: parts[0], as: UTF8.self), target: String(decoding: parts[1], as: UTF8.self))
    return nil
  }

  private mutating func readField() -> Refusal? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isToken(line[..<colon]) else { return .malformed }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var value = line[(colon + 1)...].drop(while: isBlank)
    while value.last.map(isBlank) == true { value.removeLast() }
    request?.headers.append((String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    return request.map { $0.headers.count > Self.mostFields } == true ? .tooLong : nil
  }

  /// Bodies are not read, but a request whose length is contradictory is refused.
  private static func hasSoundFraming(_ request: LocalRequest) -> Bool {
    let lengths = request.values("content-length")
    guard lengths.count <= 1, request.values("transfer-encoding").isEmpty || lengths.isEmpty else { return false }
    return lengths.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }

  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") }

  /// What the name of a method or of a field may be made of.
  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
