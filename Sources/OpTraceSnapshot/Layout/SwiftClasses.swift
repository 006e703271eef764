import OpTraceSymbols

/// A class of Swift in a process, as its metadata and the reflection records of its module describe it.
///
/// After Swift's include/swift/ABI/Metadata.h (`TargetClassMetadata`, `TargetClassDescriptor`) and docs/ABI/TypeMetadata.rst. Compilers
/// put these into programs, so that runtimes cannot change them; nevertheless each is checked.
package struct SwiftClass: Sendable {
  /// The word that its objects begin with.
  package let metadata: UInt64
  /// Of its superclass; nil: it has none.
  package let superclass: UInt64?
  /// Its description, which generic classes share.
  let descriptor: UInt64
  package let module: String
  /// With the names of the types around it.
  package let name: String
  /// In bytes, of an object.
  package let instanceSize: UInt64
  package let isActor: Bool
  package let isDefaultActor: Bool
  /// Where stored properties are in an object, by their names; only its own.
  package let fields: [String: UInt64]

  /// It is the concurrency runtime's own, and runs what `MainActor` is to run.
  var isMainExecutor: Bool {
    name.hasSuffix("MainExecutor") && (module == "_Concurrency" || module == "Swift")
  }
}

/// The classes of a process.
package struct SwiftClasses: Sendable {
  package private(set) var byMetadata: [UInt64: SwiftClass] = [:]

  /// Their files are missing, so that their classes are not known.
  package private(set) var modulesWithoutFile: [Module] = []

  package subscript(_ metadata: UInt64) -> SwiftClass? { byMetadata[metadata] }

  /// The class of this name; nil: there is none, or several.
  package func named(_ name: String, module: String) -> SwiftClass? {
    let found = byMetadata.values.filter { $0.name == name && $0.module == module }
    return found.count == 1 ? found[0] : nil
  }

  /// Whether there is one of this name, or more.
  func has(_ name: String, module: String) -> Bool {
    byMetadata.values.contains { $0.name == name && $0.module == module }
  }

  /// Whether a class is another one, or a subclass of it.
  package func inherits(_ metadata: UInt64, from other: SwiftClass) -> Bool {
    var next: UInt64? = metadata
    for _ in 0..<Self.deepest {
      guard let one = next else { return false }
      if one == other.metadata { return true }
      next = byMetadata[one]?.superclass
    }
    return false
  }

  /// More counts as damage.
  private static let deepest = 64

  /// - Complexity: O(data of the modules).
  init(_ modules: [Module], _ view: MemoryView) throws(MemoryTrouble) {
    var descriptions: [UInt64: ClassDescription] = [:]
    for module in modules where module.path != "[vdso]" {
      guard let file = module.file, let image = try? ElfImage(path: file.path) else {
        modulesWithoutFile.append(module)
        continue
      }
      for name in ["swift5_type_metadata", "swift5_type_metadata_2"] {
        guard let section = image.section(name) else { continue }
        for entry in stride(from: UInt64(0), to: min(section.size, 1 << 22), by: 4) {
          guard let at = view.relativeOrIndirect(at: module.bias &+ section.address &+ entry),
            let one = ClassDescription(at, view)
          else { continue }
          descriptions[at] = one
        }
      }
    }
    // Metadata is found by the word in it that leads to the description.
    let words = WordSet(descriptions.keys)
    var found: [(UInt64, UInt64)] = []
    for range in modules.flatMap(\.data) where found.count < Self.most {
      try view.memory.search(range, for: words) { address, word in found.append((address &- 40, word)) }
    }
    for (metadata, descriptor) in found {
      guard let description = descriptions[descriptor] else { continue }
      byMetadata[metadata] = description.described(at: metadata, view)
    }
    // What does not lead to a class that is known, or to none, is no class.
    for (metadata, one) in byMetadata {
      if let superclass = one.superclass, byMetadata[superclass] == nil, !isRoot(superclass, view) {
        byMetadata[metadata] = nil
      }
    }
  }

  private static let most = 1 << 20

  /// Swift's own class that has no description: `SwiftObject` and the like do not exist on Linux, but others write classes by hand.
  private func isRoot(_ metadata: UInt64, _ view: MemoryView) -> Bool { view.word(at: metadata &+ 8) == 0 }
}

/// A class's description. All numbers in it that lead elsewhere are distances.
private struct ClassDescription {
  let address: UInt64
  let module: String
  let name: String
  let flags: UInt32
  let fieldNames: [String]
  /// Where in the metadata the offsets of the fields begin, in words.
  let offsetsAt: UInt64
  let fieldCount: Int

  private static let mostFields = 4096

  /// Nil: it describes something else.
  init?(_ address: UInt64, _ view: MemoryView) {
    guard let flags = view.half(at: address), flags & 0x1F == 16, let name = Self.name(address, view),
      let count = view.half(at: address &+ 36), let at = view.half(at: address &+ 40), count <= Self.mostFields
    else { return nil }
    self.address = address
    self.flags = flags
    (module, self.name) = name
    fieldCount = Int(count)
    offsetsAt = UInt64(at)
    fieldNames = Self.fields(view.relative(at: address &+ 16), view)
  }

  /// The class whose metadata is there; nil: it is no metadata.
  func described(at metadata: UInt64, _ view: MemoryView) -> SwiftClass? {
    guard metadata % 8 == 0, let superclass = view.word(at: metadata &+ 8), superclass % 8 == 0,
      let size = view.half(at: metadata &+ 24), size >= 16, size < 1 << 24,
      let alignment = view.half(at: metadata &+ 28), alignment & 0xFFFF < 4096, alignment >> 16 == 0,
      let classSize = view.half(at: metadata &+ 32), let before = view.half(at: metadata &+ 36),
      before >= 16, classSize > before, classSize < 1 << 20
    else { return nil }
    var fields: [String: UInt64] = [:]
    for (index, name) in fieldNames.enumerated() where index < fieldCount && offsetsAt > 0 {
      guard let offset = view.word(at: metadata &+ (offsetsAt + UInt64(index)) * 8), offset < UInt64(size) else {
        continue
      }
      fields[name] = offset
    }
    return SwiftClass(
      metadata: metadata, superclass: superclass == 0 ? nil : superclass, descriptor: address, module: module,
      name: name, instanceSize: UInt64(size), isActor: flags >> 23 & 1 == 1, isDefaultActor: flags >> 24 & 1 == 1,
      fields: fields)
  }

  /// Of the module, and of the type with those around it.
  private static func name(_ address: UInt64, _ view: MemoryView) -> (module: String, name: String)? {
    var parts: [String] = []
    var next = address
    for _ in 0..<16 {
      guard let flags = view.half(at: next) else { return nil }
      switch flags & 0x1F {
      // A module; then what has a name: protocols, and types of all kinds.
      case 0:
        guard let module = view.relative(at: next &+ 8).flatMap({ view.text(at: $0) }), !parts.isEmpty else {
          return nil
        }
        return (module, parts.reversed().joined(separator: "."))
      case 3, 16...31:
        guard let name = view.relative(at: next &+ 8).flatMap({ view.text(at: $0) }), !name.isEmpty else { return nil }
        parts.append(name)
      // An extension, or a place that has no name.
      default: break
      }
      guard let outer = view.relativeOrIndirect(at: next &+ 4) else { return nil }
      next = outer
    }
    return nil
  }

  private static func fields(_ list: UInt64?, _ view: MemoryView) -> [String] {
    guard let list, let sizes = view.half(at: list &+ 8), let count = view.half(at: list &+ 12),
      sizes >> 16 >= 12, count <= mostFields
    else { return [] }
    return (0..<UInt64(count)).map { index in
      view.relative(at: list &+ 16 &+ index * UInt64(sizes >> 16) &+ 8).flatMap { view.text(at: $0) } ?? ""
    }
  }
}
