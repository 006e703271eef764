#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// `RunningProgram` gives each program a clean environment of signals and descriptors, and ends it.
  @Suite("A program that a test runs", .ownThread)
  struct RunningProgramTests {
    @Test("it begins without blocked or ignored signals")
    func signals() throws {
      var (all, before) = (sigset_t(), sigset_t())
      sigfillset(&all)
      pthread_sigmask(SIG_SETMASK, &all, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      // No other test uses this signal.
      signal(SIGUSR2, SIG_IGN)
      defer { signal(SIGUSR2, SIG_DFL) }
      let result = try RunningProgram.run(
        URL(fileURLWithPath: "/bin/grep"), ["-E", "^Sig(Blk|Ign)", "/proc/self/status"])
      // The C library uses two signals itself, so they are left out.
      let masks = result.output.split(separator: "\n").map { line in
        line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }.map { $0 & ~(3 << 31) }
      }
      #expect(masks == [0, 0])
    }

    @Test("it has three streams, and no other descriptor of the tests")
    func descriptors() throws {
      // A descriptor without close-on-exec is not inherited either.
      let open = OwnedDescriptor(Foundation.open("/dev/null", O_RDONLY))
      let result = try RunningProgram.run(URL(fileURLWithPath: "/bin/ls"), ["/proc/self/fd"])
      // `ls` itself opens the fourth one.
      #expect(result.output == "0\n1\n2\n3\n")
      withExtendedLifetime(open) {}
    }

    @Test("it ends with its owner, and so do its children")
    func owner() throws {
      var program: RunningProgram? = try RunningProgram(
        URL(fileURLWithPath: "/bin/sh"), ["-c", "sleep 600 & echo $!; wait"])
      let child = try #require(program?.line().flatMap { pid_t($0) })
      program = nil
      // A dead process stays in the process table until its new parent reaps it.
      try eventually("it is gone") {
        guard let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8) else { return true }
        return state.contains(") Z ")
      }
    }

    @Test("a descriptor is closed by close() or with its owner", arguments: [true, false])
    func descriptor(says: Bool) throws {
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      let reading = OwnedDescriptor(ends[0])
      do {
        guard let writing = OwnedDescriptor(ends[1]) else { return }
        if says {
          let error = writing.close()
          #expect(error == nil)
        }
      }
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      var byte: UInt8 = 0
      // 0 is the end of the pipe. An open pipe would give an error here.
      #expect(read(ends[0], &byte, 1) == 0)
      withExtendedLifetime(reading) {}
    }
  }
#endif
