import ArgumentParser
import OpTraceModel
import OpTraceText

/// The option `--module` of commands that show the program's own code first.
struct OwnModules: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The program's own module; may be given several times (default: all but the packages that it depends on).",
      valueName: "name"))
  var module: [String] = []

  /// Marks the code of the chosen modules as the program's own. Warns if the trace has no function of a module.
  func mark(_ trace: inout Trace, warns: Bool = true) {
    guard !module.isEmpty else { return }
    trace.stacks.ownModules = Set(module)
    guard warns else { return }
    let known = trace.stacks.modules
    for name in trace.stacks.ownModules.subtracting(known).sorted() {
      let offer = Suggestion.text(for: name, among: known).map { "; \($0)" } ?? ""
      Console.warning("the trace has no function of module '\(printable(name))'\(offer)")
    }
  }
}
