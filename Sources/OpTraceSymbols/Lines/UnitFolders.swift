/// How values of DWARF are written (version 5, section 7.5.6).
enum DwarfForm {
  /// The value, 0 for what is no number; nil: a form that is not known, so that nothing behind it can be read.
  static func number(_ form: UInt64, _ cursor: inout ByteCursor, isWide: Bool, addressSize: Int = 8) -> UInt64? {
    switch form {
    case 0x01: return cursor.number(bytes: min(max(addressSize, 1), 8))
    case 0x0B, 0x0C, 0x11, 0x25, 0x29: return UInt64(cursor.byte())
    case 0x05, 0x12, 0x26, 0x2A: return cursor.number(bytes: 2)
    case 0x27, 0x2B: return cursor.number(bytes: 3)
    case 0x06, 0x13, 0x1C, 0x28, 0x2C: return cursor.number(bytes: 4)
    case 0x07, 0x14, 0x20, 0x24: return cursor.u64()
    case 0x0D: return UInt64(bitPattern: cursor.signed())
    case 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23: return cursor.unsigned()
    case 0x0E, 0x10, 0x17, 0x1D, 0x1F: return cursor.number(bytes: isWide ? 8 : 4)
    case 0x19, 0x21: return form == 0x19 ? 1 : 0
    case 0x1E: cursor.skip(16)
    case 0x08: _ = cursor.text()
    case 0x09, 0x18: cursor.skip(cursor.unsigned())
    case 0x0A: cursor.skip(UInt64(cursor.byte()))
    case 0x03: cursor.skip(UInt64(cursor.u16()))
    case 0x04: cursor.skip(UInt64(cursor.u32()))
    default: return nil
    }
    return 0
  }
}

/// The folder that the compiler ran in, for each line table: line tables before version 5 do not say it. It is in the first
/// entry of each unit of `.debug_info`; nothing else in there is read.
enum UnitFolders {
  /// Those after it are not read.
  static let mostUnits = 1 << 18

  /// By the offset of the unit's line table. Empty where it cannot be read.
  static func read(_ texts: LineTexts) -> [UInt64: String] {
    guard let units = try? SectionContent(".debug_info", of: texts.image),
      let shapes = try? SectionContent(".debug_abbrev", of: texts.image)
    else { return [:] }
    var folders: [UInt64: String] = [:]
    var offset: UInt64 = 0
    var left = mostUnits
    while left > 0, offset < units.size, let (start, size, wide) = DwarfUnit.extent(at: offset, in: units) {
      if let (table, folder) = first(units.beginning(at: start, count: min(size, 512)), wide, shapes, texts) {
        folders[table] = folder
      }
      offset = start + size
      left -= 1
    }
    return folders
  }

  private static func first(
    _ bytes: [UInt8], _ isWide: Bool, _ shapes: SectionContent, _ texts: LineTexts
  ) -> (table: UInt64, folder: String)? {
    var cursor = ByteCursor(bytes)
    let version = cursor.u16()
    // Version 5 says the folder in the line table.
    guard (2...4).contains(version) else { return nil }
    let shapeOffset = cursor.number(bytes: isWide ? 8 : 4)
    let addressSize = Int(cursor.byte())
    let code = cursor.unsigned()
    guard !cursor.isBroken, let shape = shape(code, shapes.beginning(at: shapeOffset, count: 2048)) else { return nil }
    var table: UInt64?
    var folder: LineText?
    for (name, form) in shape {
      if name == 0x1B, let text = texts.text(form, &cursor, isWide: isWide) {
        folder = text
      } else {
        guard let value = DwarfForm.number(form, &cursor, isWide: isWide, addressSize: addressSize) else { break }
        if name == 0x10 { table = value }
      }
      guard !cursor.isBroken else { break }
      if let table, let folder { return texts.string(folder).map { (table, $0) } }
    }
    return nil
  }

  /// Names and forms of an entry's values.
  private static func shape(_ wanted: UInt64, _ bytes: [UInt8]) -> [(name: UInt64, form: UInt64)]? {
    var cursor = ByteCursor(bytes)
    while !cursor.isBroken {
      let code = cursor.unsigned()
      guard code != 0 else { return nil }
      _ = cursor.unsigned()
      cursor.skip(1)
      var values: [(UInt64, UInt64)] = []
      while !cursor.isBroken {
        let (name, form) = (cursor.unsigned(), cursor.unsigned())
        // A value that is in the shape itself.
        if form == 0x21 { _ = cursor.signed() }
        if name == 0, form == 0 { break }
        values.append((name, form))
      }
      if code == wanted { return cursor.isBroken ? nil : values }
    }
    return nil
  }
}
