#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import OpTraceProcesses

  /// Runs a program in the foreground until it ends, as if it had been called without us: it has our streams, and gets
  /// our signals.
  struct RecordedRun {
    /// Signals that would end or stop this command, and those that people send to programs.
    private static let passedOn = [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
    ]

    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

    let process: pid_t
    private let awaited: sigset_t
    private let maskBefore: sigset_t

    /// Starts the program with these words (the first one is its name) and these variables. Throws ``Failure`` with the
    /// statuses of `env`.
    init(_ program: ProgramFile, words: [RawText], environment: [RawText]) throws {
      // Blocked from now on and taken one by one in `wait()`, so that none is lost in between.
      var awaited = sigset_t()
      var before = sigset_t()
      sigemptyset(&awaited)
      for number in Self.passedOn + [SIGCHLD] { sigaddset(&awaited, number) }
      // If SIGCHLD was inherited as ignored, the system would keep no exit status.
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
      do throws(CannotStart) {
        return try start.start().id
      } catch {
        guard error.number == ENOEXEC else { throw error }
        // A script without `#!`, which a shell would run.
        var shell = start
        shell.path = "/bin/sh".asPath
        shell.words = ["sh".asPath, program.path.asPath] + start.words.dropFirst()
        return try shell.start().id
      }
    }

    /// Waits until the program has ended. `isAskedToStop`: it was sent a signal such as Ctrl-C's, whatever it did then.
    ///
    /// - Parameter meanwhile: called repeatedly, with this pause in seconds; nil: nothing is to be done.
    func wait(meanwhile: (pause: Double, body: () -> Void)? = nil) -> (end: ProgramEnding, isAskedToStop: Bool) {
      var isAskedToStop = false
      // Signals that a process has sent, and how often.
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
        let number: Int32
        if let meanwhile {
          meanwhile.body()
          let (seconds, rest) = (meanwhile.pause.rounded(.down), meanwhile.pause.truncatingRemainder(dividingBy: 1))
          var pause = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest * 1e9))
          number = sigtimedwait(&awaited, &information, &pause)
        } else {
          number = sigwaitinfo(&awaited, &information)
        }
        if Self.ending.contains(number) {
          isAskedToStop = true
          if information.si_code != SI_KERNEL { sent[number, default: 0] += 1 }
        }
        // A signal of the terminal (Ctrl-C, Ctrl-Z) reaches the program without us.
        if number > 0, number != SIGCHLD, information.si_code != SI_KERNEL { kill(process, number) }
      }
    }

    /// The shell waits for us: unless it sees us stop as the program did, it does not take the terminal back. If no shell
    /// waits for us, whoever stopped the program alone will continue it alone.
    private func stopToo(_ number: Int32) {
      guard let terminal = OwnedDescriptor(open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)) else { return }
      if number != SIGSTOP || tcgetpgrp(terminal.number) == getpgrp() { raise(SIGSTOP) }
    }
  }
#endif
