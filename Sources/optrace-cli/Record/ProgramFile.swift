#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import OpTraceSymbols

  /// The program to record: found like a shell finds it, and checked before it runs.
  struct ProgramFile {
    /// The name that was given.
    let name: String
    let path: String

    /// Throws ``Failure`` with the statuses of `env`: 127 if there is no such program, 126 if it cannot be run.
    static func find(_ name: String) throws -> ProgramFile {
      let shown = "'\(printable(name))'"
      if name.contains("/") {
        guard access(name.asPath, F_OK) == 0 else {
          let number = errno
          let status: ExitStatus = number == ENOENT || number == ENOTDIR ? .notFound : .cannotRun
          throw Failure(message: "cannot run \(shown): \(reason(number))", status: status)
        }
        if let why = obstacle(name) { throw Failure(message: "cannot run \(shown): \(why)", status: .cannotRun) }
        return ProgramFile(name: name, path: name)
      }
      var found: String?
      for folder in RawPath.programFolders where !name.isEmpty {
        let candidate = "\(folder)/\(name)"
        guard access(candidate.asPath, F_OK) == 0 else { continue }
        guard let why = obstacle(candidate) else { return ProgramFile(name: name, path: candidate) }
        found = found ?? "cannot run '\(printable(candidate))': \(why)"
      }
      if let found { throw Failure(message: found, status: .cannotRun) }
      throw Failure(message: "cannot run \(shown): there is no such program in the folders of PATH", status: .notFound)
    }

    private static func obstacle(_ path: String) -> String? {
      var status = stat()
      guard stat(path.asPath, &status) == 0 else { return reason(errno) }
      if status.st_mode & S_IFMT == S_IFDIR { return reason(EISDIR) }
      return access(path.asPath, X_OK) == 0 ? nil : reason(errno)
    }

    /// Throws ``Failure`` where nothing of the program could be recorded, with the reason and the remedy. Scripts and
    /// programs without Foundation pass: they may run others.
    ///
    /// - Parameter debugFile: where the symbols of the program are, if it was stripped of them.
    func checkRecordable(debugFile: String?) throws {
      guard let why = whyNotRecordable(debugFile) else { return }
      throw Failure(message: "'\(printable(name))' cannot be recorded: \(why)", status: .cannotRecord)
    }

    private func whyNotRecordable(_ debugFile: String?) -> String? {
      var status = stat()
      if stat(path.asPath, &status) == 0 {
        let changesUser = status.st_mode & S_ISUID != 0 && status.st_uid != getuid()
        let changesGroup = status.st_mode & S_ISGID != 0 && status.st_gid != getgid()
        if changesUser || changesGroup {
          return "it takes the rights of its owner (setuid), and the system loads nothing into such a program; "
            + "become that user first, and call optrace then"
        }
      }
      // Neither is one that may be run but not read, or is no program of the system's own format.
      guard let file = ElfFile(path: path.asPath) else { return nil }
      if let own = ElfFile.own, own != file.machine {
        return "it was built for \(file.machine.name), and this is \(own.name); build it for this machine"
      }
      let instead = "or link OpTrace and run it with OPTRACE_OUTPUT=FILE"
      if !file.hasLoader {
        return "it is linked statically, so nothing can be loaded into it; "
          + "build it without -static-executable (C: -static), \(instead)"
      }
      let isLinked = file.hasSwiftSections && !file.libraries.contains { $0.hasPrefix("libswiftCore.") }
      return isLinked && !file.hasSymbols ? whyWithoutSymbols(file, debugFile) : nil
    }

    /// Swift's libraries are in the program, and nobody but its symbols tells where. Nil: a debug file does.
    private func whyWithoutSymbols(_ file: ElfFile, _ debugFile: String?) -> String? {
      func fits(_ path: String) -> Bool {
        guard let id = file.buildID, let debug = ElfFile(path: path.asPath) else { return false }
        return debug.hasSymbols && debug.buildID == id
      }
      if let debugFile, !fits(debugFile) {
        return "'\(printable(debugFile))' does not have its symbols, or is of another build"
      }
      let real = realpath(path.asPath, nil)
      defer { free(real) }
      let beside = real.map { String(cString: $0) } ?? path
      let system = file.buildID.map { "/usr/lib/debug/.build-id/\($0.prefix(2))/\($0.dropFirst(2)).debug" }
      if debugFile != nil || fits(beside + ".debug") || system.map(fits) == true { return nil }
      return "its symbols were stripped, so Swift's libraries in it cannot be found; run the file as it was before "
        + "`strip`, or put its debug file (same build id) beside it"
    }
  }
#endif
