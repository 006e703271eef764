// Writes the files that are made from the table of events: `scripts/make-format` runs it.
import Foundation

do {
  guard CommandLine.arguments.count == 3 else {
    print("usage: FormatSources FOLDER SUM     the package, and the checksum of what its files are made from")
    exit(64)
  }
  let sum = CommandLine.arguments[2]
  let package = URL(fileURLWithPath: CommandLine.arguments[1])
  for file in GeneratedFile.allCases where try file.update(in: package, sum: sum) { print("written: \(file.rawValue)") }
} catch {
  FileHandle.standardError.write(Data("FormatSources: \(error)\n".utf8))
  exit(1)
}
