/// What receivers say in protobuf.
package enum PushAnswers {
  /// `ExportProfilesServiceResponse`: how many profiles the receiver did not take, and its words; nil: it took all, and
  /// says nothing.
  package static func partialSuccess(_ bytes: [UInt8]) -> (rejected: Int64, message: String)? {
    guard let partial = fields(bytes[...]).first(where: { $0.number == 1 }) else { return nil }
    let fields = fields(partial.bytes)
    let rejected = fields.first { $0.number == 1 }.map { Int64(bitPattern: $0.value) } ?? 0
    let message = fields.first { $0.number == 2 }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    return rejected == 0 && message.isEmpty ? nil : (rejected, message)
  }

  /// `google.rpc.Status`: the message of an error; nil: there is none.
  package static func statusMessage(_ bytes: [UInt8]) -> String? {
    let message = fields(bytes[...]).first { $0.number == 2 }.map { String(decoding: $0.bytes, as: UTF8.self) }
    return message.flatMap { $0.isEmpty ? nil : $0 }
  }

  private struct Field {
    var number: UInt64
    var value: UInt64 = 0
    var bytes: ArraySlice<UInt8> = []
  }

  /// As far as they make sense.
  private static func fields(_ bytes: ArraySlice<UInt8>) -> [Field] {
    var rest = bytes
    var result: [Field] = []
    while let key = varint(&rest) {
      var field = Field(number: key >> 3)
      switch key & 7 {
      case 0:
        guard let value = varint(&rest) else { return result }
        field.value = value
      case 2:
        guard let count = varint(&rest), count <= UInt64(rest.count) else { return result }
        field.bytes = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
      case 1, 5:
        let size = key & 7 == 1 ? 8 : 4
        guard rest.count >= size else { return result }
        rest = rest.dropFirst(size)
      default: return result
      }
      result.append(field)
    }
    return result
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst() {
      if shift < 64 { result |= UInt64(byte & 0x7F) << shift }
      shift += 7
      if byte < 0x80 { return result }
    }
    return nil
  }
}
