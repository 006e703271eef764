#if os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import TestSupport
  import Testing

  /// What a trace has of each thread of a hanging program that was recorded and killed.
  @Suite("Programs that hang", .ownThread) struct HangingProgramTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    static let names = [
      "two-locks", "mutex", "rwlock", "semaphore", "group", "locks-twice", "pool", "busy", "asleep",
    ]
    /// Options of the compiler, and whether the program is stripped.
    static let builds = [
      (name: "debug", flags: "-O -g", strip: false), (name: "plain", flags: "-O", strip: false),
      (name: "stripped", flags: "-O", strip: true),
    ]

    private func compile(_ build: (name: String, flags: String, strip: Bool)) throws -> String {
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("HangingProgram/main.swift").path
      let program = folder.folder.path(build.name)
      let strip = build.strip ? #" && strip "$2""# : ""
      let made = try Command.run(
        source, program, shell: #"swiftc -swift-version 6 \#(build.flags) "$1" -o "$2"\#(strip)"#)
      try #require(made.status == 0, "\(made)")
      return program
    }

    /// Records all at once. They are killed when the recorder has a snapshot of each one that does not move.
    private func recordAll(_ program: String) throws -> [String: Trace] {
      let list = Self.names.joined(separator: " ")
      let result = try Command.run(
        folder.folder.folder.path, program,
        shell: RecordFolder.enter + """
          for name in \(list); do
            "$optrace" record -o $name.optrace -- "$1" $name >$name.out 2>$name.err &
          done
          for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            sleep 1
            seen=0
            for name in \(list); do
              "$optrace" dump $name.optrace -o - 2>/dev/null | grep -q ' looked ' && seen=$((seen + 1))
            done
            # One of them starts a thread each second, and is never still.
            [ $seen -ge \(Self.names.count - 1) ] && break
          done
          for pid in $(pgrep -f "^$1 "); do kill -KILL $pid; done
          wait
          cat *.out
          """)
      #expect(result.output == "", "\(result)")
      var traces: [String: Trace] = [:]
      for name in Self.names { traces[name] = try folder.trace("\(name).optrace") }
      return traces
    }

    /// All functions on a thread's stack, inlined ones too.
    private func functions(_ frame: FrameID?, _ trace: Trace) -> Set<String> {
      Set(
        trace.stacks.stack(frame).filter(trace.stacks.isOwn).flatMap { trace.stacks.symbols(of: $0) }.map(\.shortName))
    }

    private struct Seen: Equatable, CustomStringConvertible {
      var reason: SleepReason
      /// The owner: the thread itself, the main thread, or another one. Nil if nobody.
      var owner: String?
      var description: String { "\(reason) of \(owner ?? "nobody")" }
    }

    /// The reasons of threads that wait for locks.
    private func locks(_ trace: Trace) -> [Seen] {
      let main = trace.threads.first(where: \.isMain)?.id
      return (trace.snapshot?.threads ?? []).filter(\.reason.isLock).map { seen in
        let owner = seen.owner.map { $0 == seen.thread ? "itself" : $0 == main ? "main" : "another" }
        return Seen(reason: seen.reason, owner: owner)
      }
    }

    @Test("snapshots show waiters, holders and their code", arguments: builds.indices)
    func looks(_ index: Int) throws {
      let build = Self.builds[index]
      let traces = try recordAll(try compile(build))
      for (name, trace) in traces {
        #expect(!trace.header.isClosed && trace.loss.isComplete, "\(name)")
        #expect(
          TraceValidator.check(try TraceReader.events(path: folder.folder.path("\(name).optrace"))).isEmpty, "\(name)")
        if name != "pool" { #expect(trace.snapshot?.isPartial == false && trace.snapshot?.refused == 0, "\(name)") }
      }
      func own(_ name: String) throws -> Trace { try #require(traces[name]) }
      #expect(
        locks(try own("two-locks")) == [
          .init(reason: .mutex, owner: "another"), .init(reason: .mutex, owner: "another"),
        ])
      #expect(locks(try own("mutex")) == [.init(reason: .inheriting, owner: "main")])
      #expect(locks(try own("rwlock")) == [.init(reason: .writer, owner: "main")])
      #expect(locks(try own("locks-twice")) == [.init(reason: .mutex, owner: "itself")])
      for name in ["semaphore", "group", "busy", "asleep"] { #expect(locks(try own(name)).isEmpty, "\(name)") }
      #expect(try own("busy").snapshot?.threads.contains { $0.isRunning } == true)
      #expect(try own("asleep").snapshot?.threads.contains { $0.reason == .time } == true)
      let pool = try own("pool").waits.filter { $0.inside != nil && $0.ended == nil }
      #expect(pool.count >= 2 && pool.filter { $0.at != nil }.count >= 2)
      // The code of waiter and holder.
      let mutex = try own("mutex")
      let holder = try #require(mutex.waits.first { $0.thread == mutex.threads.first(where: \.isMain)?.id })
      let waiter = try #require(mutex.snapshot?.threads.first { $0.reason == .inheriting })
      guard !build.strip else {
        #expect(functions(waiter.at, mutex) == [])
        #expect(mutex.stacks.codeLocation(waiter.at)?.function?.hasPrefix("stripped+0x") == true)
        return
      }
      #expect(functions(holder.at, mutex).contains("Cache.refresh(_:)"))
      #expect(functions(waiter.at, mutex).contains("Cache.store()"))
      let twice = try own("locks-twice")
      let locked = try #require(twice.snapshot?.threads.first { $0.reason == .mutex })
      #expect(functions(locked.at, twice).contains("closure #1 in closure #1 in blockLocksTwice()"))
      guard build.flags.contains("-g") else { return }
      let place = try #require(twice.stacks.codeLocation(locked.at))
      #expect(place.file?.hasSuffix("HangingProgram/main.swift") == true)
      let source = try String(contentsOfFile: try #require(place.file), encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
      #expect(source[try #require(place.line) - 1].contains("lock.lock()"), "\(place)")
    }
  }
#endif
