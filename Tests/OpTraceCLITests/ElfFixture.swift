#if os(Linux)
  import Foundation

  /// An ELF file with valid headers that cannot be run.
  struct ElfFixture {
    var processor: UInt16
    var hasLoader = true
    var libraries = ["libc.so.6"]
    var sections = [".text"]

    init() {
      #if arch(arm64)
        processor = 183
      #else
        processor = 62
      #endif
    }

    /// Header, segments (loader, whole file, dynamic section), dynamic section, strings, sections.
    var bytes: [UInt8] {
      func place(_ names: [String], in texts: inout [UInt8]) -> [UInt64] {
        names.map { name in
          defer { texts += Array(name.utf8) + [0] }
          return UInt64(texts.count)
        }
      }
      var texts: [UInt8] = [0]
      let loader = place(["/no/such/loader"], in: &texts)[0]
      let libraryNames = place(libraries, in: &texts)
      let sectionNames = place(sections + [".shstrtab"], in: &texts)
      let address: UInt64 = 0x10000
      let dynamicAt = 64 + 3 * 56
      let pairs = libraryNames.map { (UInt64(1), $0) }
      let textsAt = dynamicAt + (pairs.count + 3) * 16
      let dynamic: [(UInt64, UInt64)] =
        pairs + [(5, address + UInt64(textsAt)), (10, UInt64(texts.count)), (0, 0)]
      let sectionsAt = textsAt + texts.count

      var result = Bytes()
      result.bytes = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
      result.add(UInt16(3), processor, UInt32(1), UInt64(0), UInt64(64), UInt64(sectionsAt), UInt32(0))
      result.add(UInt16(64), UInt16(56), UInt16(3), UInt16(64), UInt16(sections.count + 1), UInt16(sections.count))
      func segment(_ type: UInt32, at offset: Int, size: Int) {
        let place = UInt64(offset)
        result.add(type, UInt32(4), place, address + place, address + place, UInt64(size), UInt64(size), UInt64(1))
      }
      segment(hasLoader ? 3 : 4, at: textsAt + Int(loader), size: 16)
      segment(1, at: 0, size: sectionsAt)
      segment(hasLoader ? 2 : 4, at: dynamicAt, size: dynamic.count * 16)
      for (tag, value) in dynamic { result.add(tag, value) }
      result.bytes += texts
      for name in sectionNames {
        let isTexts = name == sectionNames.last
        result.add(
          UInt32(name), UInt32(isTexts ? 3 : 1), UInt64(0), UInt64(0), UInt64(textsAt), UInt64(texts.count), UInt64(0),
          UInt64(0), UInt64(0))
      }
      return result.bytes
    }

    private struct Bytes {
      var bytes: [UInt8] = []

      mutating func add(_ numbers: any FixedWidthInteger...) {
        for number in numbers { append(number) }
      }

      private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
      }
    }
  }
#endif
