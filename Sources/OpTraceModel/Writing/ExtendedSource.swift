import OpTraceFormat

/// A trace with more behind it, which its header tells of. Bytes that the trace has lost meanwhile are zeros.
struct ExtendedSource: ByteSource {
  let base: any ByteSource
  let addition: SymbolWriter.Addition

  func another() -> (any ByteSource)? { base.another().map { ExtendedSource(base: $0, addition: addition) } }
  func size() -> UInt64 { addition.offset + UInt64(addition.bytes.count) }

  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < size() else { return 0 }
    let count = Int(min(UInt64(target.count), size() - offset))
    let all = UnsafeMutableRawBufferPointer(rebasing: target[..<count])
    let old = offset < addition.offset ? Int(min(UInt64(count), addition.offset - offset)) : 0
    if old > 0 {
      let known = base.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: all[..<old]))
      UnsafeMutableRawBufferPointer(rebasing: all[known..<old]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    put(addition.bytes, at: addition.offset, into: all, from: offset)
    if let header = addition.header { put(header, at: UInt64(Layout.Header.state), into: all, from: offset) }
    return count
  }

  /// What of the bytes at `place` lies in the target, which begins at `offset`.
  private func put(
    _ bytes: [UInt8], at place: UInt64, into target: UnsafeMutableRawBufferPointer, from offset: UInt64
  ) {
    let start = max(place, offset)
    let end = min(place + UInt64(bytes.count), offset + UInt64(target.count))
    guard start < end else { return }
    bytes.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: target[Int(start - offset)..<Int(end - offset)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(start - place)..<Int(end - place)]))
    }
  }
}
