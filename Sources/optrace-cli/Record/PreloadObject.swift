#if os(Linux)
  import OpTraceModel
  import Foundation

  /// The object that `record` loads into programs: the whole recorder.
  enum PreloadObject {
    private static let name = "libOpTracePreload.so"

    /// Its path. In a build it is beside the command, in an installation in `../lib/optrace`.
    static func find() throws -> String {
      guard let own = realpath("/proc/self/exe", nil) else {
        throw Failure(message: "cannot tell where optrace is installed: \(reason(errno))", status: .cannotRecord)
      }
      defer { free(own) }
      let folder = (String(cString: own) as NSString).deletingLastPathComponent
      let installed = ((folder as NSString).deletingLastPathComponent as NSString).appendingPathComponent("lib/optrace")
      for candidate in [folder, installed] where access("\(candidate)/\(name)", R_OK) == 0 {
        // These characters separate objects in the variable, which knows no quotes.
        guard !candidate.contains(where: { $0 == ":" || $0.isWhitespace }) else {
          throw Failure(
            message: "'\(printable(candidate))' holds a blank or a colon, and nothing can be preloaded from there; "
              + "move optrace to another folder", status: .cannotRecord)
        }
        return "\(candidate)/\(name)"
      }
      throw Failure(
        message:
          "\(name) is neither in '\(printable(folder))' nor in '\(printable(installed))'; install optrace again, "
          + "or build all of it with 'swift build'",
        status: .cannotRecord)
    }
  }
#endif
