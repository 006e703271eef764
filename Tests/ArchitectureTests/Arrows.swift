/// Which target imports which, as `Documentation/architecture.md` shows it.
struct Arrows {
  private let manifest: Manifest

  init(_ manifest: Manifest) { self.manifest = manifest }

  private var shown: [Manifest.Target] {
    manifest.targets.filter { $0.kind != .test && !$0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Bench") }
  }

  /// One line for each target that imports another, with its dependencies. No tests and benchmarks.
  var list: String {
    let importing = shown.filter { !$0.dependencies.isEmpty }
    let width = importing.reduce(0) { max($0, $1.name.count) }
    return importing.map { target in
      let blanks = String(repeating: " ", count: width - target.name.count)
      return "\(target.name)\(blanks) → \(target.dependencies.joined(separator: ", "))"
    }.joined(separator: "\n")
  }

  /// All targets but tests and benchmarks. An arrow is left out if there is a path over another target.
  var drawing: String {
    var lines = ["flowchart RL"]
    for target in shown {
      let direct = target.dependencies
      let kept = direct.filter { one in !direct.contains { $0 != one && manifest.reach(from: $0).contains(one) } }
      lines += kept.isEmpty ? ["  \(target.name)"] : kept.map { "  \(target.name) --> \($0)" }
    }
    return lines.joined(separator: "\n")
  }
}

extension Manifest {
  /// All targets that a target depends on, directly or not.
  func reach(from name: String) -> Set<String> {
    var seen: Set<String> = []
    var open = [name]
    while let next = open.popLast() {
      for one in self[next]?.dependencies ?? [] where seen.insert(one).inserted { open.append(one) }
    }
    return seen
  }
}
