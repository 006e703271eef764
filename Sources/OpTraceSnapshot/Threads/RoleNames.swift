import OpTraceSymbols

/// Names of functions on the stacks of a process, as far as they matter. A module's table of names is read once for each address, however
/// often the process is looked at.
final class RoleNames {
  private struct Asked: Hashable {
    var module: UInt64
    var wanted: Set<String>
  }

  /// By the modules' addresses.
  private var names: [UInt64: [UInt64: String?]] = [:]
  /// Whether a module has all of these.
  private var hasAll: [Asked: Bool] = [:]

  /// Looks for these functions of a module on the stacks.
  func find(_ wanted: Set<String>, in module: Module, _ threads: [SeenThread]) -> RoleFunctions {
    guard let image = module.file.flatMap({ try? ElfImage(path: $0.path) }) else {
      return RoleFunctions(module: module)
    }
    let asked = Asked(module: module.low, wanted: wanted)
    let areKnown = hasAll[asked] ?? (NamedSymbols(Array(wanted), in: image).addresses.count == wanted.count)
    hasAll[asked] = areKnown
    return RoleFunctions(module: module, names: names(threads.flatMap(\.addresses), module, image), areKnown: areKnown)
  }

  /// Names of functions of a module, by return addresses.
  func names(of addresses: [UInt64], in module: Module) -> RoleFunctions {
    guard let image = module.file.flatMap({ try? ElfImage(path: $0.path) }) else {
      return RoleFunctions(module: module)
    }
    return RoleFunctions(module: module, names: names(addresses, module, image))
  }

  private func names(_ addresses: [UInt64], _ module: Module, _ image: ElfImage) -> [UInt64: String] {
    var own = names[module.low] ?? [:]
    let offsets = Set(addresses.filter { module.contains($0) }.map { $0 &- 1 &- module.bias })
      .filter { own[$0] == nil }.sorted()
    if !offsets.isEmpty {
      for (offset, name) in zip(offsets, LinkerNames.of(offsets, in: image)) { own.updateValue(name, forKey: offset) }
    }
    names[module.low] = own
    return own.compactMapValues(\.self)
  }
}

/// Functions of a module on the stacks.
struct RoleFunctions {
  var module: Module
  fileprivate(set) var names: [UInt64: String] = [:]
  /// The module has the names of all that were asked for.
  fileprivate(set) var areKnown = false

  /// Of a return address.
  subscript(_ address: UInt64) -> String? {
    module.contains(address) ? names[address &- 1 &- module.bias] : nil
  }
}
