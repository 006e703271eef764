/// Memory for one look: small values are read by their addresses, and each page is asked for once. So what is read of a page is of one
/// moment, but two pages may be of two.
///
/// A value that cannot be read is nil: a process goes on meanwhile, and what looks like an address may be none. If the process itself
/// cannot be read any more, ``trouble`` says so.
package final class MemoryView {
  package let memory: any ProcessMemory
  /// Why nothing can be read any more.
  package private(set) var trouble: MemoryTrouble?

  private var pages: [UInt64: [UInt8]] = [:]
  private var last: (address: UInt64, bytes: [UInt8]) = (.max, [])
  private static let page: UInt64 = 4096
  /// In pages. Then it begins anew.
  private static let most = 1 << 14

  package init(_ memory: any ProcessMemory) { self.memory = memory }

  package func word(at address: UInt64) -> UInt64? { number(at: address, 8) }
  package func half(at address: UInt64) -> UInt32? { number(at: address, 4).map(UInt32.init(truncatingIfNeeded:)) }
  package func byte(at address: UInt64) -> UInt8? { number(at: address, 1).map(UInt8.init(truncatingIfNeeded:)) }

  /// An address of something: not null, and a multiple of eight.
  package func pointer(at address: UInt64) -> UInt64? {
    word(at: address).flatMap { $0 != 0 && $0 % 8 == 0 ? $0 : nil }
  }

  /// The address that a distance of 32 bits leads to from its own address. Nil: there is none.
  package func relative(at address: UInt64) -> UInt64? {
    guard let distance = half(at: address), distance != 0 else { return nil }
    return address &+ UInt64(bitPattern: Int64(Int32(bitPattern: distance)))
  }

  /// The same, where the lowest bit says that the address is stored there.
  package func relativeOrIndirect(at address: UInt64) -> UInt64? {
    guard let distance = half(at: address), distance & ~3 != 0 else { return nil }
    let target = address &+ UInt64(bitPattern: Int64(Int32(bitPattern: distance & ~3)))
    return distance & 1 == 0 ? target : word(at: target)
  }

  package func bytes(at address: UInt64, count: Int) -> [UInt8]? {
    guard count >= 0, count <= 1 << 20 else { return nil }
    var result: [UInt8] = []
    while result.count < count {
      let at = address &+ UInt64(result.count)
      guard at >= address else { return nil }
      let bytes = page(of: at)
      let offset = Int(at % Self.page)
      guard offset < bytes.count else { return nil }
      result += bytes[offset...].prefix(count - result.count)
    }
    return result
  }

  /// A text of bytes that ends with a zero. Nil: it does not end within `limit`, or is not UTF-8.
  package func text(at address: UInt64, limit: Int = 512) -> String? {
    var result: [UInt8] = []
    while result.count < limit {
      let at = address &+ UInt64(result.count)
      let bytes = page(of: at)
      let offset = Int(at % Self.page)
      guard at >= address, offset < bytes.count else { return nil }
      let rest = bytes[offset...].prefix(limit - result.count)
      guard let end = rest.firstIndex(of: 0) else {
        result += rest
        continue
      }
      return String(validating: result + rest[..<end], as: UTF8.self)
    }
    return nil
  }

  private func number(at address: UInt64, _ count: Int) -> UInt64? {
    let offset = Int(address % Self.page)
    guard offset + count <= Int(Self.page) else {
      return bytes(at: address, count: count).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }
    let bytes = page(of: address)
    guard offset + count <= bytes.count else { return nil }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return value
  }

  private func page(of address: UInt64) -> [UInt8] {
    let start = address & ~(Self.page - 1)
    if last.address == start { return last.bytes }
    if let known = pages[start] {
      last = (start, known)
      return known
    }
    var bytes: [UInt8] = []
    do throws(MemoryTrouble) {
      if trouble == nil { bytes = try memory.beginning(at: start, count: Int(Self.page)) }
    } catch {
      trouble = error
    }
    if pages.count >= Self.most { pages.removeAll() }
    pages[start] = bytes
    last = (start, bytes)
    return bytes
  }
}
