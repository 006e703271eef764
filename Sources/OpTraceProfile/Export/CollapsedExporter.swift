import OpTraceKernel
package import OpTraceSamples
package import OpTraceText

/// Writes a profile as collapsed stacks: `operation Resize;main;work();[kernel] 12`, a line for each stack.
///
/// The outermost comes first: whose time it is, then the callers. The number at the end counts samples; of time off the processor,
/// which is not sampled, microseconds; of memory bytes. Lines are sorted by the names in them, and no two have the same stack. Source of the format:
/// <https://github.com/brendangregg/FlameGraph#2-fold-stacks>. It has no escapes: a `;` in a name becomes `:`, what would
/// end the line a space.
package enum CollapsedExporter {
  /// O(samples + stacks × depth × log stacks).
  package static func write(_ profile: Profile, to writer: ByteWriter) {
    let names = RankedNames(profile)
    let lines = SampleGroups(profile, byOwner: true).groups.map { (group: $0, names: names.ranks(of: $0)) }
      .sorted { $0.names.lexicographicallyPrecedes($1.names) }
    var index = 0
    while index < lines.count {
      let line = lines[index]
      var (samples, weight) = (0, Int64(0))
      while index < lines.count, lines[index].names == line.names {
        samples += lines[index].group.samples
        weight = weight.adding(lines[index].group.weight)
        index += 1
      }
      for (place, rank) in line.names.enumerated() {
        if place > 0 { writer.byte(UInt8(ascii: ";")) }
        writer.string(names.texts[Int(rank)])
      }
      writer.byte(UInt8(ascii: " "))
      // Little is not nothing.
      switch profile.unit {
      case .bytes: writer.number(Int(weight))
      case .time:
        writer.number(profile.period > 0 ? samples : max(1, Int(weight / 1000 + (weight % 1000 >= 500 ? 1 : 0))))
      }
      writer.byte(UInt8(ascii: "\n"))
    }
  }
}

/// The texts of a profile's collapsed stacks, sorted: stacks are compared by numbers.
private struct RankedNames {
  private let profile: Profile
  let texts: [String]
  private let functions: [UInt32]
  private let owners: [UInt32]
  private let kernel: UInt32
  private let callersUnknown: UInt32
  private let unknown: UInt32

  init(_ profile: Profile) {
    self.profile = profile
    let functionTexts = profile.functions.indices.map { Self.escaped(ProfileWords.function(profile, $0)) }
    let ownerTexts = profile.owners.indices.map { Self.escaped(ProfileWords.owner(profile, $0)) }
    let fixed = [ProfileWords.kernel, ProfileWords.callersUnknown, ProfileWords.unknown]
    let texts = Set(functionTexts + ownerTexts + fixed).sorted()
    self.texts = texts
    var numbers: [String: UInt32] = [:]
    for (rank, text) in texts.enumerated() { numbers[text] = UInt32(truncatingIfNeeded: rank) }
    functions = functionTexts.map { numbers[$0, default: 0] }
    owners = ownerTexts.map { numbers[$0, default: 0] }
    kernel = numbers[ProfileWords.kernel, default: 0]
    callersUnknown = numbers[ProfileWords.callersUnknown, default: 0]
    unknown = numbers[ProfileWords.unknown, default: 0]
  }

  private static func escaped(_ name: String) -> String {
    name.utf8.contains(UInt8(ascii: ";")) ? String(name.map { $0 == ";" ? ":" : $0 }) : name
  }

  /// The outermost first.
  func ranks(of group: SampleGroups.Group) -> [UInt32] {
    var result: [UInt32] = owners.isEmpty ? [] : [group.owner.map { owners[$0] } ?? unknown]
    if profile.stacks.indices.contains(group.stack) {
      let stack = profile.stacks[group.stack]
      if stack.isCut { result.append(callersUnknown) }
      for frame in stack.frames {
        let function = profile.frames.indices.contains(frame) ? profile.frames[frame].function : -1
        result.append(functions.indices.contains(function) ? functions[function] : unknown)
      }
    } else {
      result.append(unknown)
    }
    if group.isInKernel { result.append(kernel) }
    return result
  }
}
