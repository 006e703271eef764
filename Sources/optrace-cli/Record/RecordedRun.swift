#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import OpTraceProcesses

  /// Runs a program in the foreground until it ends, as if it had been called without us: it has our streams, and signals
  /// reach it.
  struct RecordedRun {
    /// Those that end or stop the command itself, and those that people send to talk to a program.
    private static let passedOn = [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
    ]

    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

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

      var start = Program(path: program.path.asPath, words: words.map(\.asWord))
      start.environment = environment.map(\.asWord)
      start.blocked = before
      start.restored = ClosedPipes.wereIgnored ? [] : [SIGPIPE]
      do throws(CannotStart) {
        process = try Self.start(start, program)
      } catch {
        pthread_sigmask(SIG_SETMASK, &before, nil)
        let why = error.number == ENOENT ? "its interpreter or loader is missing" : reason(error.number)
        throw Failure(
          message: "cannot run '\(printable(program.name))': \(why)",
          status: error.number == ENOENT ? .notFound : .cannotRun)
      }
    }

    private static func start(_ start: Program, _ program: ProgramFile) throws(CannotStart) -> pid_t {
      do {
        return try start.start().id
      } catch where error.number == ENOEXEC {
        // A script without `#!`: a shell would run it.
        var shell = start
        shell.path = "/bin/sh".asPath
        shell.words = ["sh".asPath, program.path.asPath] + start.words.dropFirst()
        return try shell.start().id
      }
    }

    /// Until the program is over. `isAskedToStop`: somebody wanted an end of it, as with Ctrl-C, however it took that.
    func wait() -> (end: ProgramEnding, isAskedToStop: Bool) {
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
            if let once = sent.first(where: { $0.value == 1 })?.key { RepeatedSignal.expect(once) }
            return (ProgramEnding(status: status), isAskedToStop)
          }
          stopToo(status >> 8 & 0xFF)
        } else if changed < 0, errno != EINTR {
          return (.exited(ExitStatus.cannotRecord.rawValue), isAskedToStop)
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
