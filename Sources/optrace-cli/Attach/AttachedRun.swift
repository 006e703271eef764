#if os(Linux)
  import Foundation
  import OpTraceAttach
  import OpTraceFormat
  import OpTraceModel
  import OpTraceRunning
  import OpTraceText

  /// Records a program that runs already.
  struct AttachedRun {
    let process: UInt32
    /// Where the trace goes, absolute.
    let path: String
    /// As environment variables have them.
    let settings: [String: String]

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    static func programName(of process: UInt32) -> String {
      let file = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) ?? ""
      let name = (file as NSString).lastPathComponent
      return name.isEmpty ? "program" : name.replacingOccurrences(of: " (deleted)", with: "")
    }

    /// - Parameter told: say on standard error that it records, and how that ends.
    func begin(told: Bool) throws -> AttachedRecording {
      let recorded = MappedTraces.paths(of: "\(process)") ?? []
      guard recorded.isEmpty else { throw AttachFailure.failure(.recorded(recorded), process) }
      let library = try PreloadObject.find()
      var settings = settings
      settings["OPTRACE_OUTPUT"] = path
      settings["OPTRACE_VERBOSE"] = ProcessInfo.processInfo.environment["OPTRACE_VERBOSE"]
      let folder = (path as NSString).deletingLastPathComponent
      let attachment: AttachedRecording
      do throws(AttachTrouble) {
        attachment = try AttachedRecording.begin(in: process, library: library, folder: folder, settings: settings)
      } catch {
        throw AttachFailure.failure(error, process)
      }
      if told {
        Console.error(
          "optrace: recording process \(process) (\(printable(Self.programName(of: process)))) into "
            + "'\(printable(shown(attachment.trace)))'; Ctrl-C ends the recording, not the program")
      }
      if ProcessInfo.processInfo.environment["OPTRACE_VERBOSE"] == "1" {
        let milliseconds = attachment.borrowed / .milliseconds(1)
        Console.note("a thread of the program was borrowed for \(String(format: "%.3f", milliseconds)) ms")
      }
      for remark in attachment.remarks { Console.note(remark) }
      if settings["OPTRACE_TASKS"] == "1" { Console.note(Self.unheard) }
      return attachment
    }

    private static let unheard =
      "in a program that runs already, these are not heard: work that is given to busy actors, and who resumes a "
      + "continuation; of what began before, only what it does from now on"

    private func shown(_ path: String) -> String {
      let folder = RawPath.currentFolder
      return path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
    }

    /// Waits until a time is over, a signal, or the end of the process. Then the program is as it was before.
    /// - Parameter after: in nanoseconds; nil: no limit.
    func waitAndEnd(_ attachment: AttachedRecording, after nanoseconds: Nanoseconds?) throws {
      let signals = SignalPipe(Self.ending)
      let limit = nanoseconds.map { ContinuousClock.now + .nanoseconds($0) }
      while attachment.isThere {
        let left = limit.map { Int((ContinuousClock.now.duration(to: $0)) / .milliseconds(1)) } ?? .max
        guard left > 0 else { break }
        var wanted = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&wanted, 1, Int32(clamping: min(left, 200))) > 0, signals.take() != nil { break }
      }
      // What follows can be left with Ctrl-C.
      for number in Self.ending where !ignores(number) { signal(number, SIG_DFL) }
      end(attachment)
    }

    func end(_ attachment: AttachedRecording) {
      if let why = withProgress("ending the recording", attachment.end) { Console.warning(why) }
    }
  }
#endif
