import COpTrace
import Foundation
package import OpTraceModel

extension OutsideSnapshot {
  /// Takes a snapshot of the threads of a process from this process. If the system refuses access to calls and memory,
  /// only states and times are known, and all threads are ``refused``. Nil: it has no threads that we may see.
  package static func taken(of processID: UInt32) -> OutsideSnapshot? {
    let gathered = Gathered(ProgramLibraries(of: processID))
    var count = optrace_outside_count()
    let context = Unmanaged.passUnretained(gathered).toOpaque()
    let isDone = optrace_snapshot_outside(
      processID, context,
      { context, thread in
        guard let context, let thread else { return }
        Unmanaged<Gathered>.fromOpaque(context).takeUnretainedValue().add(thread.pointee)
      }, &count)
    guard isDone, !gathered.snapshot.threads.isEmpty else { return nil }
    gathered.snapshot.moved = Int(count.moved)
    gathered.snapshot.refused = Int(count.refused)
    return gathered.snapshot
  }

  private final class Gathered {
    var snapshot = OutsideSnapshot()
    private let libraries: ProgramLibraries
    /// By address, because most frames are on several stacks.
    private var located: [UInt64: (image: ImageRecord?, bias: UInt64)] = [:]

    init(_ libraries: ProgramLibraries) { self.libraries = libraries }

    func add(_ thread: optrace_outside_thread) {
      let frames = UnsafeBufferPointer(start: thread.addresses, count: Int(thread.depth))
      snapshot.threads.append(
        OutsideSnapshot.Thread(
          systemID: thread.id, name: String(cString: thread.name), owner: thread.owner,
          words: (thread.words.0, thread.words.1),
          frames: frames.enumerated().map { index, address in
            let (image, bias) = self.image(of: address)
            return OutsideSnapshot.Frame(
              image: image, offset: address &- bias, isGuessed: index >= Int(thread.guessed),
              library: libraries.library(at: address &- bias, of: image))
          }))
    }

    private func image(of address: UInt64) -> (image: ImageRecord?, bias: UInt64) {
      if let known = located[address] { return known }
      let result: (image: ImageRecord?, bias: UInt64) =
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(optrace_longest_path)) { path in
          var found = optrace_image()
          // A return address may be just after the image, if the call is its last instruction.
          guard optrace_image_find(address &- 1, &found, path.baseAddress) else { return (nil, 0) }
          return (ImageRecord(found, path: String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)), found.bias)
        }
      located[address] = result
      return result
    }
  }
}

/// Which code of a process's program belongs to libraries that are linked into it. Its symbols are read when the first
/// frame needs them.
private final class ProgramLibraries {
  private let link: String
  private let path: String?
  private var isRead = false
  private var linked: OpaquePointer?

  init(of processID: UInt32) {
    link = "/proc/\(processID)/exe"
    path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
  }

  deinit { optrace_linked_free(linked) }

  func library(at offset: UInt64, of image: ImageRecord?) -> LinkedLibrary? {
    guard let path, image?.path == path else { return nil }
    if !isRead { linked = optrace_linked_read(link) }
    isRead = true
    guard let linked else { return nil }
    // A return address may be just after the library, if the call is its last instruction.
    return LinkedLibrary(rawValue: UInt8(truncatingIfNeeded: optrace_linked_library(linked, offset &- 1)))
  }
}

extension ImageRecord {
  fileprivate init(_ image: optrace_image, path: String) {
    let build = withUnsafeBytes(of: image.build_id) { bytes in
      bytes.prefix(Int(image.build_id_size)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    self.init(
      path: path, buildID: build.isEmpty ? nil : build, base: image.base & ~0xFFF, size: (image.size + 0xFFF) & ~0xFFF
    )
  }
}
