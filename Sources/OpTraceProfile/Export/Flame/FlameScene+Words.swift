import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

extension FlameScene {
  /// What a node is called, never empty.
  func name(_ part: FlameTree.Part) -> String {
    switch part {
    case .all: ProfileWords.name(profile.processName.isEmpty ? "all" : profile.processName)
    case .owner(let index): ProfileWords.owner(profile, index)
    case .callersUnknown: ProfileWords.callersUnknown
    case .function(let index): ProfileWords.function(profile, index)
    case .unknown: ProfileWords.unknown
    case .kernel: ProfileWords.kernel
    }
  }

  /// Of the whole file.
  var title: String {
    let program = ProfileWords.name(profile.processName.isEmpty ? "profile" : profile.processName)
    return "\(program): \(amount(tree.root.weight)) of \(subject)"
  }

  /// The title as it fits beside the search field.
  var shownTitle: String {
    let program = NameCut.inside(ProfileWords.name(profile.processName.isEmpty ? "profile" : profile.processName), 20)
    return "\(program): \(amount(tree.root.weight)) of \(subject)"
  }

  private var subject: String {
    switch profile.unit {
    case .time: profile.period > 0 ? "processor time" : "waiting"
    case .bytes(.allocated): "allocated memory"
    case .bytes(.live): "memory that lives"
    case .bytes(.peak): "memory that lived at the peak"
    }
  }

  /// A weight, in words.
  private func amount(_ weight: Nanoseconds) -> String {
    profile.unit == .time ? duration(weight) : bytesText(Double(weight))
  }

  /// What is counted.
  private var counter: String { profile.unit == .time && profile.period <= 0 ? "wait" : "sample" }

  /// What is known of the samples.
  func facts(_ lost: Int) -> String {
    guard profile.unit == .time else {
      let samples = "\(counted(tree.root.samples, "sample")), one byte in \(grouped(Int(profile.interval))) chosen"
      return samples + "; \(lost > 0 ? grouped(lost) : "none") lost."
    }
    guard profile.period > 0 else { return counted(tree.root.samples, "wait") + "." }
    let rate = (1e9 / Double(profile.period)).rounded()
    let samples = "\(counted(tree.root.samples, "sample")) at \(grouped(Int(rate))) Hz"
    return samples + "; \(lost > 0 ? grouped(lost) : "none") lost."
  }

  /// What is to be known before the picture is believed.
  func sentences(_ options: FlameGraphExporter.Options) -> [String] {
    var sentences = options.notes
    let (cut, guessed) = flawed
    if cut > 0 {
      sentences.append("The outermost callers are not known in \(share(cut, tree.root.samples)) of them.")
    }
    if guessed > 0 {
      sentences.append("In \(share(guessed, tree.root.samples)) of them some frames are guessed.")
    }
    if undrawn > 0 {
      let limit = Self.share(options.smallestShare)
      let verb = undrawn == 1 ? "is" : "are"
      sentences.append("\(counted(undrawn, "function")) below \(limit) of the whole \(verb) not drawn.")
    }
    if let difference {
      let name = difference.base.processName
      let base = NameCut.inside(ProfileWords.name(name.isEmpty ? "another profile" : name), 40)
      sentences.append("Compared with \(base), \(amount(difference.baseTotal)):")
      sentences.append("widths are of now, colours tell how the share of the same stack changed.")
      if difference.gone > 0 {
        sentences.append("Stacks with \(Self.share(difference.gone)) of the time before are not there any more.")
      }
    }
    return sentences
  }

  private var flawed: (cut: Int, guessed: Int) {
    profile.samples.reduce(into: (0, 0)) { sum, sample in
      guard profile.stacks.indices.contains(sample.stack) else { return }
      if profile.stacks[sample.stack].isCut { sum.0 += 1 }
      if profile.stacks[sample.stack].isGuessed { sum.1 += 1 }
    }
  }

  /// The name, where it is, what it used.
  func tooltip(_ index: Int) -> String {
    let node = tree.nodes[index]
    var lines = [name(node.part)]
    if case .function(let number) = node.part, profile.functions.indices.contains(number) {
      let function = profile.functions[number]
      let place = function.file.map { file in ProfileWords.name(file) + (function.line.map { ":\($0)" } ?? "") }
      let words = [function.module.map(ProfileWords.name), place].compactMap { $0 }
      if !words.isEmpty { lines.append(words.joined(separator: " · ")) }
    }
    let whole = Double(max(1, tree.root.weight))
    lines.append(
      "\(amount(node.weight)) · \(Self.share(Double(node.weight) / whole)) · \(counted(node.samples, counter))")
    if node.ownWeight > 0, node.ownWeight < node.weight {
      lines.append("itself: \(amount(node.ownWeight)) · \(Self.share(Double(node.ownWeight) / whole))")
    }
    if let difference { lines.append(difference.words(index)) }
    if node.isInlined { lines.append("inlined into its caller") }
    if node.isJoined { lines.append("async caller, joined from a suspension: it was on no stack") }
    return lines.joined(separator: "\n")
  }

  private func share(_ part: Int, _ whole: Int) -> String { Self.share(Double(part) / Double(max(1, whole))) }

  /// `12.3 %`, `100 %`, `<0.1 %`.
  static func share(_ share: Double) -> String {
    let tenths = Int((min(max(share, 0), 1) * 1000).rounded())
    if tenths == 0 { return share > 0 ? "<0.1 %" : "0 %" }
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
