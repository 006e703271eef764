import Foundation
import Testing

/// The C headers that Swift's compiler imports.
@Suite struct HeaderTests {
  /// Swift imports an array in a structure as a tuple. For 4096 elements that takes a minute.
  @Test func structuresHaveNoLongArrays() throws {
    var count = 0
    for header in try headers() {
      let text = try String(contentsOf: header, encoding: .utf8)
      for field in text.matches(of: /\n +[a-z_0-9]+ \**([a-z_0-9]+)\[([a-z_0-9]+)\];/) {
        count += 1
        let length = try #require(number(field.output.2, in: text), "\(header.lastPathComponent): \(field.output.2)")
        #expect(length <= 256, "\(header.lastPathComponent): '\(field.output.1)' is better a parameter")
      }
    }
    // With fewer, the pattern no longer matches the headers.
    #expect(count > 2)
  }

  /// The number in `text`, or the value of the constant that it names.
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
