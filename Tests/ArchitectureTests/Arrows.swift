extension Manifest {
  /// All targets but tests and benchmarks, as `Documentation/architecture.md` shows them. An arrow is left out if there is a path over
  /// another target.
  var drawing: String {
    var lines = ["flowchart RL"]
    for target in targets
    where target.kind != .test && !target.path.hasPrefix("Tests/") && !target.path.hasPrefix("Bench") {
      let direct = target.dependencies
      let kept = direct.filter { one in !direct.contains { $0 != one && reach(from: $0).contains(one) } }
      lines += kept.isEmpty ? ["  \(target.name)"] : kept.map { "  \(target.name) --> \($0)" }
    }
    return lines.joined(separator: "\n")
  }

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
