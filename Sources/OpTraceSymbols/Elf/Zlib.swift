#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Sections that are compressed with zlib, as those of a distribution's debug files are. The library is looked for when such
/// a section is read: nothing here is linked with it, and nearly every Linux has it.
enum Zlib {
  /// In bytes, unpacked. A larger section is not unpacked: what stands in a file must not fill the memory.
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
