import ArgumentParser
import OpTraceKeeping
import OpTraceModel
import OpTraceText

/// The options of `record` about keeping copies of a flight recorder's ring.
struct KeepOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      Keep a copy of the ring when this happens, at most once a minute; may be given several times: stall=5s, request=1s, \
      p99=200ms, p99(KIND)=200ms, finding=warning, finding=error, cpu=90%, rss=2G.
      """, valueName: "condition"))
  var keepWhen: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many kept files there are at most (default: 10). The oldest with the same condition goes first.",
      valueName: "n"))
  var keepFiles: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How large the kept files may be together, as 512M or 4G (default: 1G).", valueName: "size"))
  var keepBytes: String?

  /// - Parameter ring: the size of the flight recorder; nil: there is none.
  func validate(ring: UInt64?) throws {
    for text in keepWhen {
      do { _ = try KeepCondition(text) } catch { throw ValidationError(error.message + ".") }
    }
    if keepWhen.isEmpty {
      if keepFiles != nil { throw ValidationError("--keep-files needs --keep-when CONDITION.") }
      if keepBytes != nil { throw ValidationError("--keep-bytes needs --keep-when CONDITION.") }
      return
    }
    guard let ring else {
      throw ValidationError("--keep-when keeps a flight recorder's ring: add --flight-recorder 64M.")
    }
    if let keepFiles, keepFiles < 1 { throw ValidationError("--keep-files needs a number from 1 on.") }
    if let keepBytes, SizeArgument(argument: keepBytes) == nil {
      throw ValidationError("'\(keepBytes)' is not a size such as 512M or 4G: --keep-bytes needs one.")
    }
    if bytes < ring {
      let least = SizeArgument.text(ring)
      throw ValidationError("--keep-bytes has no room for one ring: give it \(least) or more.")
    }
  }

  var bytes: UInt64 { keepBytes.flatMap { SizeArgument(argument: $0)?.bytes } ?? KeptFiles.usualBytes }

  /// Validated before.
  var conditions: [KeepCondition] {
    var seen: Set<KeepCondition> = []
    return keepWhen.compactMap { try? KeepCondition($0) }.filter { seen.insert($0).inserted }
  }

  var files: KeptFiles { KeptFiles(mostFiles: keepFiles ?? KeptFiles.usualFiles, mostBytes: bytes) }

  /// What these conditions will not see; nil: nothing.
  /// - Parameter hasUnits: whether tasks or blocks are recorded.
  func remark(hasUnits: Bool) -> String? {
    guard !hasUnits, let first = conditions.first(where: \.needsUnits) else { return nil }
    return "'\(printable(first.text))' sees only operations: --tasks, --dispatch or --all record tasks and blocks, too"
  }
}
