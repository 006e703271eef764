/// Why addresses of a module have no names, no lines, or fewer than there might be. Each description is one sentence.
package enum SymbolTrouble: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kernel's own piece of code in each process; it is in no file.
  case kernelCode
  case noSuchFile(_ path: String)
  /// The file was removed or replaced while the program ran, and the file at its path now may be another one.
  case deleted(_ path: String)
  case noPermission(_ path: String)
  /// With what the system said.
  case cannotRead(_ path: String, _ reason: String)
  case notElf(_ path: String)
  /// 32 bits, or big endian.
  case otherWords(_ path: String)
  /// The file is another build than the one that ran, so it is not used. Build ids in hexadecimal digits; an empty one: none.
  case otherBuild(_ path: String, recorded: String, found: String)
  case damaged(_ path: String, _ what: String)
  /// No build id was recorded, so that nobody knows whether the file is the one that ran. It is used.
  case notVerified(_ path: String)
  /// It has no table of symbols, and no debug file was found. What other modules may call has a name all the same.
  case stripped(_ path: String)
  /// Compiled without `-g`, or its debug information was taken away.
  case noLines(_ path: String)
  /// A debug section is compressed in a way, or to a size, that is not read here.
  case compressed(_ path: String, section: String)
  /// A debug file that its program names, and that belongs to another build.
  case otherDebugFile(_ path: String)
  /// So many addresses lie where the module has no code.
  case outsideOfCode(_ path: String, count: Int)
  /// So many addresses lie in code that no symbol covers.
  case noSymbol(_ path: String, count: Int)

  package var description: String {
    switch self {
    case .kernelCode: "The kernel's own code in each process has no file, and no names."
    case .noSuchFile(let path): "\(path) no longer exists: symbolicate on the machine where the program ran."
    case .deleted(let path):
      "\(path) was removed or replaced while the program ran, so its names are not known."
    case .noPermission(let path): "\(path) may not be read: run as a user who may."
    case .cannotRead(let path, let reason): "\(path) cannot be read: \(reason)."
    case .notElf(let path): "\(path) is not a Linux program or library (ELF)."
    case .otherWords(let path): "\(path) is not a 64-bit little-endian file: others are not supported."
    case .otherBuild(let path, let recorded, let found):
      "\(path) is another build than the one that ran (\(found.isEmpty ? "no build id" : found) instead of \(recorded)), "
        + "so it is not used."
    case .damaged(let path, let what): "\(path) is damaged: \(what)."
    case .notVerified(let path):
      "\(path) is used, but no build id was recorded: if it was built again since, names and lines are wrong."
    case .stripped(let path):
      "\(path) is stripped: keep a debug file beside it, or do not strip it, to see its functions' names."
    case .noLines(let path): "\(path) has no line table: build it with -g to see files and lines."
    case .compressed(let path, let section):
      "\(section) of \(path) is compressed and could not be unpacked, so there are no lines."
    case .otherDebugFile(let path): "\(path) belongs to another build, so it is not used."
    case .outsideOfCode(let path, let count):
      "\(count) \(count == 1 ? "address lies" : "addresses lie") where \(path) has no code."
    case .noSymbol(let path, let count):
      "\(count) \(count == 1 ? "address" : "addresses") of \(path) \(count == 1 ? "lies" : "lie") in no function that it names."
    }
  }
}
