import ArgumentParser

/// The options that `provoke` and `shake` share.
struct PausedRunsOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long nothing must move until a run counts as hanging (default: 5).", valueName: "seconds"))
  var stallTimeout: String?

  /// In seconds.
  var timeout: String { stallTimeout ?? "5" }

  func validate() throws { if let stallTimeout { try StallTimeout.check(stallTimeout) } }
}
