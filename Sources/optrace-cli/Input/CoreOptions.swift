import ArgumentParser
import Foundation

/// Where the files of a core are. Options of every command that takes a process or a core that nobody recorded.
struct CoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Of a core file: the program, or a library, where it is not where it was; may be given several times.",
      valueName: "path"),
    completion: .file())
  var program: [String] = []

  @Option(
    help: ArgumentHelp(
      "Of a core file from another machine: the folder with a copy of its files.", valueName: "folder"),
    completion: .directory)
  var sysroot: String?

  var unprepared: Unprepared { Unprepared(programs: program, root: sysroot) }
}
