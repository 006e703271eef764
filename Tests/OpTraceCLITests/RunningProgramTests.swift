#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// What the tests' programs can rely on.
  @Suite("A program that a test runs", .ownThread)
  struct RunningProgramTests {
    @Test("it begins as from a shell, whatever the tests' process does with signals")
    func signals() throws {
      var (all, before) = (sigset_t(), sigset_t())
      sigfillset(&all)
      pthread_sigmask(SIG_SETMASK, &all, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      // One that nobody else here cares for.
      signal(SIGUSR2, SIG_IGN)
      defer { signal(SIGUSR2, SIG_DFL) }
      let result = try RunningProgram.run(
        URL(fileURLWithPath: "/bin/grep"), ["-E", "^Sig(Blk|Ign)", "/proc/self/status"])
      // The C library keeps two signals for itself, and lets nobody set them.
      let masks = result.output.split(separator: "\n").map { line in
        line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }.map { $0 & ~(3 << 31) }
      }
      #expect(masks == [0, 0])
    }

    @Test("it has its three streams, and no other descriptor of ours")
    func descriptors() throws {
      // Not even one that would go on.
      let open = OwnedDescriptor(Foundation.open("/dev/null", O_RDONLY))
      let result = try RunningProgram.run(URL(fileURLWithPath: "/bin/ls"), ["/proc/self/fd"])
      // The fourth is its own look at that folder.
      #expect(result.output == "0\n1\n2\n3\n")
      withExtendedLifetime(open) {}
    }

    @Test("it does not outlive its owner, nor does what it has started")
    func owner() throws {
      var program: RunningProgram? = try RunningProgram(
        URL(fileURLWithPath: "/bin/sh"), ["-c", "sleep 600 & echo $!; wait"])
      let child = try #require(program?.line().flatMap { pid_t($0) })
      program = nil
      // Who is dead may still be in the system's list, until its new parent has looked.
      try eventually("it is gone") {
        guard let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8) else { return true }
        return state.contains(") Z ")
      }
    }

    @Test("a descriptor is closed when its owner goes, or says so", arguments: [true, false])
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
      // The end, and not that there is nothing yet.
      #expect(read(ends[0], &byte, 1) == 0)
      withExtendedLifetime(reading) {}
    }
  }
#endif
