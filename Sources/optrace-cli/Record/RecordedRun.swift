#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel

  /// Runs a program in the foreground until it ends, as if it had been called without us: it has our streams, and signals
  /// reach it.
  struct RecordedRun {
    /// Those that end or stop the command itself, and those that people send to talk to a program.
    private static let passedOn = [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
    ]

    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

    /// How the program ended.
    enum End {
      case status(Int32)
      case signal(Int32)

      /// As a shell has it: the status, or 128 and the signal.
      var status: Int32 {
        switch self {
        case .status(let number): number
        case .signal(let number): 128 + number
        }
      }
    }

    let process: pid_t
    private let awaited: sigset_t
    private let maskBefore: sigset_t

    /// Starts the program with these words, the first of which names it, and these variables. Throws ``Failure`` with the
    /// statuses of `env`.
    init(_ program: ProgramFile, words: [RawText], environment: [RawText]) throws {
      // Signals are taken one by one in `wait()`, so none is lost between now and then.
      var awaited = sigset_t()
      var before = sigset_t()
      sigemptyset(&awaited)
      for number in Self.passedOn + [SIGCHLD] { sigaddset(&awaited, number) }
      // Inherited as ignored, there would be no status to wait for.
      signal(SIGCHLD, SIG_DFL)
      pthread_sigmask(SIG_BLOCK, &awaited, &before)
      self.awaited = awaited
      maskBefore = before

      var (process, error) = Self.spawn(program.path, words, environment, mask: before)
      if error == ENOEXEC {
        // No format that the system knows: a script without `#!`, which a shell would run.
        (process, error) = Self.spawn(
          "/bin/sh", [RawText("sh"), RawText(program.path)] + words.dropFirst(), environment, mask: before)
      }
      guard error == 0 else {
        pthread_sigmask(SIG_SETMASK, &before, nil)
        let why = error == ENOENT ? "its interpreter or loader is missing" : reason(error)
        throw Failure(
          message: "cannot run '\(printable(program.name))': \(why)", status: error == ENOENT ? .notFound : .cannotRun)
      }
      self.process = process
    }

    private static func spawn(
      _ path: String, _ words: [RawText], _ environment: [RawText], mask: sigset_t
    ) -> (process: pid_t, error: Int32) {
      var mask = mask
      var restored = sigset_t()
      sigemptyset(&restored)
      if !ClosedPipes.wereIgnored { sigaddset(&restored, SIGPIPE) }
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setsigmask(&attributes, &mask)
      posix_spawnattr_setsigdefault(&attributes, &restored)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
      var list = words.map(\.copy) + [nil]
      var variables = environment.map(\.copy) + [nil]
      defer { for word in list + variables { free(word) } }
      var process = pid_t()
      let error = posix_spawn(&process, path.asPath, nil, &attributes, &list, &variables)
      return (process, error)
    }

    /// Until the program is over. `isAskedToStop`: somebody wanted an end of it, as with Ctrl-C, however it took that.
    func wait() -> (end: End, isAskedToStop: Bool) {
      var isAskedToStop = false
      // Those that a process sent, and how often.
      var sent: [Int32: Int] = [:]
      var awaited = awaited
      var maskBefore = maskBefore
      defer { pthread_sigmask(SIG_SETMASK, &maskBefore, nil) }
      while true {
        var status: Int32 = 0
        let changed = waitpid(process, &status, WNOHANG | WUNTRACED)
        if changed == process {
          guard status & 0xFF == 0x7F else {
            let signal = status & 0x7F
            if let once = sent.first(where: { $0.value == 1 })?.key { RepeatedSignal.expect(once) }
            return (signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal), isAskedToStop)
          }
          stopToo(status >> 8 & 0xFF)
        } else if changed < 0, errno != EINTR {
          return (.status(ExitStatus.cannotRecord.rawValue), isAskedToStop)
        }
        var information = siginfo_t()
        let number = sigwaitinfo(&awaited, &information)
        if Self.ending.contains(number) {
          isAskedToStop = true
          if information.si_code != SI_KERNEL { sent[number, default: 0] += 1 }
        }
        // What the terminal sends (Ctrl-C, Ctrl-Z) it sends to the program too.
        if number > 0, number != SIGCHLD, information.si_code != SI_KERNEL { kill(process, number) }
      }
    }

    /// The shell waits for us alone: it must see us stop as the program did, or it never takes the terminal back. Where no
    /// shell does that, who stopped the program alone will continue it alone.
    private func stopToo(_ number: Int32) {
      guard let terminal = OwnedDescriptor(open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)) else { return }
      if number != SIGSTOP || tcgetpgrp(terminal.number) == getpgrp() { raise(SIGSTOP) }
    }
  }
#endif
