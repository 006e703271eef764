/// The sections that hold texts of line tables.
struct LineTexts {
  let image: ElfImage
  private let texts: SectionContent?
  private let lineTexts: SectionContent?

  init(_ image: ElfImage) throws(SymbolTrouble) {
    self.image = image
    texts = try SectionContent(".debug_str", of: image)
    lineTexts = try SectionContent(".debug_line_str", of: image)
  }

  func text(_ form: UInt64, _ cursor: inout ByteCursor, isWide: Bool) -> LineText? {
    switch form {
    case 0x08: .written(cursor.text())
    case 0x0E: .text(cursor.number(bytes: isWide ? 8 : 4))
    case 0x1F: .lineText(cursor.number(bytes: isWide ? 8 : 4))
    default: nil
    }
  }

  func string(_ text: LineText) -> String? {
    switch text {
    case .written(let string): string
    case .text(let offset): texts?.text(at: offset)
    case .lineText(let offset): lineTexts?.text(at: offset)
    }
  }
}

/// A text, or where it is.
enum LineText {
  case written(String)
  case text(UInt64)
  case lineText(UInt64)
}

/// Paths of the files that one unit of a line table names, by number. Texts are read when they are asked for.
struct LineFiles {
  private let texts: LineTexts
  private var folders: [LineText] = []
  private var files: [(name: LineText, folder: UInt64)] = []
  private var known: [UInt64: String?] = [:]
  /// The file with number 0, or 1, is the first.
  private var first: UInt64 = 0
  private var unitOffset: UInt64 = 0
  private var unitFolders: [UInt64: String]?

  init(_ texts: LineTexts) { self.texts = texts }

  /// - Parameter offset: of the unit in its section.
  mutating func begin(_ header: LineHeader, at offset: UInt64) {
    folders = []
    files = []
    known = [:]
    unitOffset = offset
    var cursor = ByteCursor(header.bytes, from: header.tables)
    if header.version >= 5 {
      first = 0
      readNew(&cursor, isWide: header.isWide)
    } else {
      first = 1
      readOld(&cursor)
    }
  }

  /// From the root where that is known; nil: no file has this number.
  mutating func path(_ number: UInt64) -> String? {
    if let path = known[number] { return path }
    let path = makePath(number)
    known[number] = .some(path)
    return path
  }

  /// Compilers give what they make themselves a name in brackets: `<compiler-generated>`, `<stdin>`.
  static func isNoFile(_ path: some StringProtocol) -> Bool {
    path.hasSuffix(">") && path.split(separator: "/").last?.hasPrefix("<") == true
  }

  private mutating func makePath(_ number: UInt64) -> String? {
    guard number >= first, let index = Int(exactly: number - first), files.indices.contains(index),
      let name = texts.string(files[index].name), !name.isEmpty, !Self.isNoFile(name)
    else { return nil }
    if name.hasPrefix("/") { return name }
    let folder = folder(files[index].folder)
    return folder.isEmpty ? name : "\(folder)/\(name)"
  }

  /// Folder 0 is where the compiler ran. Old tables leave it to the unit's entry in `.debug_info`.
  private mutating func folder(_ number: UInt64) -> String {
    if first == 1, number == 0 { return compilerFolder() }
    guard let index = Int(exactly: number - first), folders.indices.contains(index),
      let name = texts.string(folders[index])
    else { return "" }
    if name.hasPrefix("/") || number == 0 { return name }
    let base = folder(0)
    return base.isEmpty ? name : "\(base)/\(name)"
  }

  private mutating func compilerFolder() -> String {
    if unitFolders == nil { unitFolders = UnitFolders.read(texts) }
    return unitFolders?[unitOffset] ?? ""
  }

  /// Versions 2 to 4: texts up to an empty one.
  private mutating func readOld(_ cursor: inout ByteCursor) {
    while true {
      let folder = cursor.text()
      guard !cursor.isBroken else { return }
      if folder.isEmpty { break }
      folders.append(.written(folder))
    }
    while true {
      let name = cursor.text()
      let folder = name.isEmpty ? 0 : cursor.unsigned()
      guard !name.isEmpty else { return }
      _ = cursor.unsigned()
      _ = cursor.unsigned()
      guard !cursor.isBroken else { return }
      files.append((.written(name), folder))
    }
  }

  /// Version 5: both lists say themselves what they hold.
  private mutating func readNew(_ cursor: inout ByteCursor, isWide: Bool) {
    guard let folders = readEntries(&cursor, isWide) else { return }
    self.folders = folders.map(\.name)
    files = readEntries(&cursor, isWide) ?? []
  }

  /// Nil: damaged, or in a form that is not known.
  private func readEntries(_ cursor: inout ByteCursor, _ isWide: Bool) -> [(name: LineText, folder: UInt64)]? {
    let formats = (0..<cursor.byte()).map { _ in (content: cursor.unsigned(), form: cursor.unsigned()) }
    let count = cursor.unsigned()
    // Each entry takes a byte at least, so that no number in the file makes more of them than it has bytes.
    guard !cursor.isBroken, count == 0 || !formats.isEmpty, count <= UInt64(cursor.left) else { return nil }
    var entries: [(LineText, UInt64)] = []
    for _ in 0..<count {
      var name = LineText.written("")
      var folder: UInt64 = 0
      for (content, form) in formats {
        if content == 1 {
          guard let text = texts.text(form, &cursor, isWide: isWide) else { return nil }
          name = text
        } else {
          guard let number = DwarfForm.number(form, &cursor, isWide: isWide) else { return nil }
          if content == 2 { folder = number }
        }
      }
      guard !cursor.isBroken else { return nil }
      entries.append((name, folder))
    }
    return entries
  }
}
