import Foundation
import Testing

/// What tests with threads of their own take, for `scripts/slowest-tests`: without the wait for their turn, which the
/// framework's own times have in them.
enum TestTimes {
  /// A line: seconds, a tab, module and test. Appended in one write, as tests end on many threads.
  static func note(_ test: Test, _ duration: Duration) {
    guard let file else { return }
    let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    let name = (test.displayName ?? test.name).replacingOccurrences(of: "\n", with: " ")
    let line = "\(seconds)\t\(test.sourceLocation.moduleName): \(name)\n"
    try? file.write(contentsOf: Data(line.utf8))
  }

  private static let file: FileHandle? = {
    guard let path = ProcessInfo.processInfo.environment["OPTRACE_TEST_TIMES"] else { return nil }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }()
}
