// Writes text files as one Swift file. A part of the build, see Plugins/EmbedPage.
// A string literal compiles in a moment; a resource that SwiftPM embeds is an array of bytes, which takes half a minute.
// usage: PageEmbedder OUTPUT FILE...
import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard let output = arguments.first else {
  FileHandle.standardError.write(Data("usage: PageEmbedder OUTPUT FILE...\n".utf8))
  exit(64)
}

var source = "/// The files of the report page, by name.\nenum PageFiles {\n  static let text: [String: String] = [\n"
for path in arguments.dropFirst() {
  let name = URL(fileURLWithPath: path).lastPathComponent
  let text = try String(contentsOfFile: path, encoding: .utf8)
  // As many signs as no text of ours has after three quotes.
  source += "    \"\(name)\": ####\"\"\"\n\(text)\n\"\"\"####,\n"
}
source += "  ]\n}\n"
try source.write(toFile: output, atomically: true, encoding: .utf8)
