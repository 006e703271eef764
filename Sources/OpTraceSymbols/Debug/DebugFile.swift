/// Separate debug files: those that are given, where gdb looks for them (by build id, and by the name that the module itself gives), and
/// `PROGRAM.debug` beside a program.
enum DebugFile {
  struct Search {
    var found: ElfImage?
    /// Files that are named as they should be, and are of another build.
    var troubles: [SymbolTrouble] = []
  }

  /// - Parameters:
  ///   - folders: such as `/usr/lib/debug`.
  ///   - given: files of which one may belong to the module.
  /// - Complexity: O(1) by build id; by name O(size of the file), of which a checksum is computed.
  static func search(for image: ElfImage, in folders: [String], given: [String] = []) -> Search {
    var search = Search()
    if let buildID = image.buildID, buildID.count > 1 {
      if let file = given.lazy.compactMap({ try? ElfImage(path: $0) }).first(where: { $0.buildID == buildID }) {
        return Search(found: file)
      }
      let digits = hexadecimal(buildID)
      for folder in folders {
        let path = "\(folder)/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug"
        search.take(path) { $0.buildID == buildID }
        if search.found != nil { return search }
      }
    }
    guard let link = Link(image) else {
      if let buildID = image.buildID { search.take(image.file.path + ".debug") { $0.buildID == buildID } }
      return search
    }
    guard let slash = image.file.path.lastIndex(of: "/") else { return search }
    let beside = image.file.path[..<slash]
    for folder in [String(beside), "\(beside)/.debug"] + folders.map({ "\($0)\(beside)" }) {
      let path = "\(folder)/\(link.name)"
      guard path != image.file.path else { continue }
      search.take(path) { Checksum.of($0.file) == link.checksum }
      if search.found != nil { return search }
    }
    return search
  }

  /// `.gnu_debuglink`: a file name, padded with zeros to four bytes, and the checksum of the file.
  private struct Link {
    var name: String
    var checksum: UInt32

    init?(_ image: ElfImage) {
      guard let section = image.section(".gnu_debuglink"), section.size <= 4096,
        let bytes = image.file.bytes(at: section.offset, count: Int(section.size))
      else { return nil }
      var cursor = ByteCursor(bytes)
      name = cursor.text()
      cursor.skip(UInt64((4 - cursor.offset % 4) % 4))
      checksum = cursor.u32()
      // A name and no path: it leads nowhere else.
      guard !cursor.isBroken, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    }
  }
}

extension DebugFile.Search {
  fileprivate mutating func take(_ path: String, if fits: (ElfImage) -> Bool) {
    do throws(SymbolTrouble) {
      let image = try ElfImage(path: path)
      if fits(image) { found = image } else { troubles.append(.otherDebugFile(path)) }
    } catch {
      switch error {
      case .noSuchFile: break
      default: troubles.append(error)
      }
    }
  }
}

/// The checksum of `.gnu_debuglink`: CRC-32 with the polynomial of ISO 3309, as in zlib.
enum Checksum {
  /// Of the whole file; nil where it cannot be read to its end.
  /// - Complexity: O(size of the file); 1 MiB of memory.
  static func of(_ file: ImageFile) -> UInt32? {
    var checksum = ~UInt32(0)
    var offset: UInt64 = 0
    while offset < file.size {
      let bytes = file.beginning(at: offset, count: 1 << 20)
      guard !bytes.isEmpty else { return nil }
      for byte in bytes { checksum = table[Int(UInt8(truncatingIfNeeded: checksum) ^ byte)] ^ (checksum >> 8) }
      offset += UInt64(bytes.count)
    }
    return ~checksum
  }

  private static let table: [UInt32] = (0..<256).map { start in
    (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
  }
}
