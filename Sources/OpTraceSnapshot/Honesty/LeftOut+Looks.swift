extension LeftOut {
  /// It is about one object: while threads run, a list may not fit together just because it changes.
  fileprivate var isOfObject: Bool {
    switch self {
    case .task, .dispatchQueue, .queueList, .queueCount, .operation, .executor: true
    default: false
    }
  }
}

extension Set<LeftOut> {
  /// What two looks leave out: of objects only those that neither could read.
  func standing(with other: Set<LeftOut>) -> Set<LeftOut> {
    union(other).filter { !$0.isOfObject || (contains($0) && other.contains($0)) }
  }

  /// Files that were mapped and are not on this machine.
  mutating func noteMissing(in core: CoreMemory) {
    for missing in core.missing {
      let plain = LeftOut.file(path: missing.path, buildID: missing.buildID)
      remove(plain)
      insert(missing.isOtherBuild ? .otherBuild(path: missing.path, buildID: missing.buildID) : plain)
    }
    if core.isCutShort { insert(.cutShort) }
  }

  /// Files that the process began with, and that are others now.
  mutating func noteReplaced(in memory: any ProcessMemory) {
    let replaced = Set<String>(memory.mappings.lazy.filter(\.isDeleted).map(\.path))
    for one in self {
      guard case .file(let path, let buildID) = one, replaced.contains(path) else { continue }
      remove(one)
      insert(.replaced(path: path, buildID: buildID))
    }
  }
}
