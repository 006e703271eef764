// Writes the files that are made from the table of events: `scripts/make-format` runs it.
import Foundation

do {
  guard CommandLine.arguments.count == 2 else {
    print("usage: FormatSources FOLDER     of the package")
    exit(64)
  }
  let package = URL(fileURLWithPath: CommandLine.arguments[1])
  for file in GeneratedFile.allCases where try file.update(in: package) { print("written: \(file.rawValue)") }
} catch {
  FileHandle.standardError.write(Data("FormatSources: \(error)\n".utf8))
  exit(1)
}
