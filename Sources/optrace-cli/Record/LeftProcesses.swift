#if os(Linux)
  import Foundation

  /// A process of a run that goes on after the program has ended: the run's request is in its environment.
  struct LeftProcess: Equatable {
    let number: pid_t
    let name: String

    static func find(withNotesIn folder: String) -> [LeftProcess] {
      let variable = Array("OPTRACE_RECORD=\(folder)".utf8)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap(pid_t.init).filter { $0 != getpid() }.sorted().compactMap { number in
        // Other users' environments cannot be read, and a process that has ended has none.
        guard let environment = FileManager.default.contents(atPath: "/proc/\(number)/environ"),
          environment.split(separator: 0).contains(where: { $0.elementsEqual(variable) })
        else { return nil }
        let name = FileManager.default.contents(atPath: "/proc/\(number)/comm") ?? Data()
        return LeftProcess(number: number, name: String(decoding: name, as: UTF8.self).trimmingSuffix("\n"))
      }
    }
  }

  extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
      hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
  }
#endif
