import Foundation
import Testing

/// The C headers, as Swift's compiler sees them.
@Suite struct HeaderTests {
  /// Of an array in a structure it makes a tuple, and takes a minute for one of 4096 elements.
  @Test func noStructureHasALongArray() throws {
    var count = 0
    for header in try headers() {
      let text = try String(contentsOf: header, encoding: .utf8)
      for field in text.matches(of: /\n +[a-z_0-9]+ \**([a-z_0-9]+)\[([a-z_0-9]+)\];/) {
        count += 1
        let length = try #require(number(field.output.2, in: text), "\(header.lastPathComponent): \(field.output.2)")
        #expect(length <= 256, "\(header.lastPathComponent): '\(field.output.1)' is better a parameter")
      }
    }
    // Else the pattern finds nothing any more.
    #expect(count > 2)
  }

  /// What stands there, or the constant of that name.
  private func number(_ text: Substring, in header: String) -> Int? {
    Int(text) ?? header.firstRange(of: "\(text) = ").flatMap { Int(header[$0.upperBound...].prefix(while: \.isNumber)) }
  }

  private func headers() throws -> [URL] {
    let manifest = try Manifest()
    return try manifest.targets.flatMap { target in
      let folder = Manifest.folder.appendingPathComponent(target.path).appendingPathComponent("include")
      guard FileManager.default.fileExists(atPath: folder.path) else { return [URL]() }
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "h" }
    }
  }
}
