import Foundation

extension LiveMemory {
  /// What a program has given to `epoll_ctl` for each descriptor: the members of its sets, with their data (proc(5), fdinfo).
  package var keptBySystem: [UInt64]? {
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd") else { return nil }
    var words: [UInt64] = []
    for file in files {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(file)"),
        target == "anon_inode:[eventpoll]"
      else { continue }
      guard let text = try? String(contentsOfFile: "\(folder)/fdinfo/\(file)", encoding: .utf8) else { return nil }
      for line in text.split(separator: "\n") where line.hasPrefix("tfd:") {
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        guard let name = fields.firstIndex(of: "data:"), name + 1 < fields.count,
          let word = UInt64(fields[name + 1], radix: 16)
        else { continue }
        words.append(word)
      }
    }
    return words
  }
}
