#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a section holds: in its file, or unpacked in memory.
struct SectionContent {
  private enum Storage {
    case file(ImageFile, UInt64)
    case memory([UInt8])
  }

  private let storage: Storage
  /// In bytes, unpacked.
  let size: UInt64

  /// Nil: there is no such section, or it is empty.
  init?(_ name: String, of image: ElfImage) throws(SymbolTrouble) {
    guard let section = image.section(name) else { return nil }
    guard image.file.holds(section.offset, section.size) else {
      throw .damaged(image.file.path, "\(name) lies outside of it")
    }
    guard section.isCompressed else {
      storage = .file(image.file, section.offset)
      size = section.size
      return
    }
    guard let bytes = Zlib.unpacked(section, of: image.file) else {
      throw .compressed(image.file.path, section: name)
    }
    storage = .memory(bytes)
    size = UInt64(bytes.count)
  }

  /// All of them, or nil.
  func bytes(at offset: UInt64, count: UInt64) -> [UInt8]? {
    guard offset <= size, count <= size - offset, let number = Int(exactly: count) else { return nil }
    switch storage {
    case .file(let file, let start): return file.bytes(at: start + offset, count: number)
    case .memory(let bytes): return Array(bytes[Int(offset)..<Int(offset + count)])
    }
  }

  /// Up to `count`, fewer at the end.
  func beginning(at offset: UInt64, count: UInt64) -> [UInt8] {
    guard offset < size else { return [] }
    return bytes(at: offset, count: min(count, size - offset)) ?? []
  }

  /// The text that begins there; nil where it does not end within `limit` bytes.
  func text(at offset: UInt64, limit: Int = 4096) -> String? {
    closedText(limit: limit) { beginning(at: offset, count: UInt64($0)) }
  }
}

/// Sections that are compressed with zlib, as those of a distribution's debug files are. The library is looked for when such
/// a section is read: nothing here is linked with it, and nearly every Linux has it.
enum Zlib {
  /// In bytes, unpacked. A larger section is not unpacked: what a file says must not fill the memory.
  static let largest: UInt64 = 256 << 20

  /// Nil: of another kind (zstd), too large, damaged, or there is no zlib.
  static func unpacked(_ section: ElfImage.Section, of file: ImageFile) -> [UInt8]? {
    // Its header: kind, a word, the size unpacked, the alignment.
    guard section.size > 24, section.size <= largest, let uncompress,
      let packed = file.bytes(at: section.offset, count: Int(section.size))
    else { return nil }
    var header = ByteCursor(packed)
    let kind = header.u32()
    header.skip(4)
    let size = header.u64()
    // Its best is about one to a thousand.
    guard kind == 1, size <= largest, size / 2048 <= section.size else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, filled in
      var count = UInt(size)
      let status = packed.withUnsafeBufferPointer { packed in
        uncompress(buffer.baseAddress, &count, packed.baseAddress.map { $0 + 24 }, UInt(packed.count - 24))
      }
      filled = status == 0 ? min(Int(count), buffer.count) : 0
    }
    return UInt64(bytes.count) == size ? bytes : nil
  }

  private typealias Uncompress =
    @convention(c) (
      UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt>, UnsafePointer<UInt8>?, UInt
    ) -> Int32

  private static let uncompress: Uncompress? = {
    for name in ["libz.so.1", "libz.dylib", "libz.so"] {
      if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL), let found = dlsym(library, "uncompress") {
        return unsafeBitCast(found, to: Uncompress.self)
      }
    }
    return nil
  }()
}
