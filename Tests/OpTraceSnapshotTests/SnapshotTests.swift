#if os(Linux)
  import Foundation
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  @Suite("Snapshots of programs that nobody prepared", .ownThread) struct SnapshotTests {
    @Test("all operations and queues are found, and nothing that is gone") func operations() throws {
      let account = try Account()
      let found = try #require(try Snapshot.taken(of: LiveMemory(account.id)).objects.operations)
      #expect(found.leftOut == [])
      #expect(account["operation"].count == 10 && account["queue"].count == 6)
      #expect(Account.operations(found) == account["operation"])
      #expect(Account.queues(found) == account["queue"])
    }

    @Test("dispatch queues, groups and semaphores are found with what they count") func dispatch() throws {
      let account = try Account()
      let snapshot = try Snapshot.taken(of: LiveMemory(account.id))
      let found = try #require(snapshot.objects.dispatch)
      #expect(found.leftOut == [])
      #expect(Account.dispatchQueues(found) == account["dispatch"])
      for line in account["group"] {
        let group = found.groups.values.first { Account.text($0.address) == line[0] }
        #expect(group.map { "\($0.count)" } == line[1])
      }
      #expect(account["semaphore"].count == 2)
      for line in account["semaphore"] {
        let semaphore = try #require(found.semaphores.values.first { Account.text($0.address) == line[0] })
        // The main thread comes last, after it has said so.
        let main = snapshot.threads.contains { $0.state.id == account.id && $0.wait?.lock == semaphore.word }
        #expect("\(semaphore.value + (main ? 1 : 0))" == line[1])
      }
      // The main queue has its own name, and the ones that the system shares out have theirs.
      #expect(found.queues.values.count { $0.kind == .mainQueue && $0.label == "com.apple.main-thread" } == 1)
      #expect(found.queues.values.count { $0.kind == .globalQueue && $0.label.hasPrefix("com.apple.root.") } >= 8)
      let serial = try #require(found.queues.values.first { $0.label == "account.serial" })
      #expect(snapshot.threads.contains { $0.state.id == serial.owner })
      #expect(found.queues.values.first { $0.label == "account.target" }?.target == serial.address)
      for item in serial.items {
        guard case .block(let function?) = item.what else { continue }
        #expect(snapshot.modules.containing(function) != nil)
      }
    }

    @Test("all tasks are found with what they wait for and their children, and none that is gone") func tasks() throws {
      let account = try Account()
      let snapshot = try Snapshot.taken(of: LiveMemory(account.id))
      let found = try #require(snapshot.objects.tasks)
      #expect(found.leftOut == [])
      #expect(account["task"].count == 7 && found.tasks.count == 10)
      #expect(Account.tasks(found) == account["task"])
      for one in found.tasks.values where !one.isRunning {
        // Each of them waits in the program's own functions.
        #expect(one.functions.contains { snapshot.modules.containing($0)?.name == "AccountProgram" })
      }
      #expect(snapshot.objects.actors.values.map(\.name) == ["Keeper"])
      // One waits for the main thread, by the main queue or by what the runtime has for it.
      let main = found.tasks.values.filter { one in
        guard case .executor(let executor) = one.wait else { return false }
        return snapshot.objects.mainExecutors.contains(executor)
          || snapshot.objects.dispatch?.queues[executor]?.kind == .mainQueue
      }
      #expect(main.count == 1 && snapshot.objects.leftOut == [])
      let running = try #require(found.tasks.values.first { $0.isRunning })
      #expect(snapshot.roles.executed.values.count { $0.contains { $0.object == running.address } } == 1)
    }

    @Test("the block of an operation is in the program's code") func blocks() throws {
      let account = try Account()
      let snapshot = try Snapshot.taken(of: LiveMemory(account.id))
      let operations = try #require(snapshot.objects.operations).operations.values
      for one in operations {
        #expect((one.block != nil) == one.isBlock)
        guard let block = one.block else { continue }
        let module = snapshot.modules.containing(block)
        #expect(module?.name == "AccountProgram" && module?.hasCode(at: block) == true)
      }
    }

    @Test("the program does not notice") func unnoticed() throws {
      let account = try Account()
      func state() throws -> [String] {
        let status = try String(contentsOfFile: "/proc/\(account.id)/status", encoding: .utf8)
        let lines = status.split(separator: "\n").filter {
          ["TracerPid", "State", "SigPnd", "ShdPnd", "SigCgt"].contains($0.prefix { $0 != ":" })
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(account.id)/fd").sorted()
        return lines.map(String.init) + files
      }
      let before = try state()
      _ = try Snapshot.taken(of: LiveMemory(account.id))
      let after = try state()
      // A thread that the system wakes may run at this moment, so only a stop would be ours.
      func rest(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("State:") } }
      #expect(rest(after) == rest(before) && !after.contains { $0.lowercased().hasPrefix("state:\tt") })
      #expect(before.contains("TracerPid:\t0"))
    }

    @Test(
      "threads that wait have their whole stacks, and locks have their owners",
      arguments: [
        ("two-locks", 3, [1, 1, 7]), ("mutex", 2, [2, 7]), ("rwlock", 2, [4, 7]), ("semaphore", 2, [7, 7]),
      ])
    func threads(_ name: String, _ count: Int, _ reasons: [UInt8]) throws {
      let hung = try HungProgram(name, threads: count)
      let snapshot = try Snapshot.taken(of: LiveMemory(hung.id))
      let still = snapshot.threads.filter { $0.isStill && $0.state.call == 202 && $0.wait?.hasLimit == false }
      #expect(still.compactMap(\.wait?.reason).sorted() == reasons)
      for thread in still {
        #expect(thread.isWhole && thread.guessedFrom == thread.addresses.count, "\(thread.state.id)")
        #expect(thread.addresses.allSatisfy { snapshot.modules.containing($0) != nil })
        // A lock that somebody has is had by one of these threads.
        if [1, 2, 4].contains(thread.wait?.reason) {
          #expect(snapshot.threads.contains { $0.state.id == thread.wait?.owner })
        }
      }
    }

    @Test("any number of looks have whole stacks") func looks() throws {
      let hung = try HungProgram("semaphore", threads: 2)
      let memory = try LiveMemory(hung.id)
      let modules = try Module.all(in: memory)
      let states = try memory.threads().filter { $0.call == 202 && $0.id == hung.id }
      // Each look has some dozens of modules, and the walker's list has room for some thousands.
      for _ in 0..<300 {
        let walked = try StackWalker.with(memory, isLive: true, modules, threads: [hung.id]) { walker in
          states.map { walker.walked($0) }
        }
        #expect(walked?.allSatisfy(\.isWhole) == true)
      }
    }

    @Test("a thread that computes has neither a place nor a wait") func busy() throws {
      let program = try RunningProgram(try Built.program("HangingProgram"), ["busy"])
      defer { program.kill() }
      let id = UInt32(program.processID)
      while try LiveMemory(id).threads().allSatisfy({ $0.letter != UInt8(ascii: "R") || $0.id == id }) {
        poll(nil, 0, 20)
      }
      let snapshot = try Snapshot.taken(of: LiveMemory(id))
      let computing = snapshot.threads.filter { !$0.isStill }
      #expect(!computing.isEmpty && !snapshot.isStill)
      #expect(computing.allSatisfy { $0.addresses.isEmpty && $0.wait == nil })
      // What was the same in all looks stands.
      #expect(snapshot.objects.operations?.operations.count == 1)
    }
  }

  @Suite("Objects that are none") struct LivenessTests {
    /// A piece of memory of glibc's with an object in it, and the head of the next piece.
    private func memory(head: UInt64 = 0xB1, count: UInt64 = 3, next: UInt64 = 0x21) -> MemoryView {
      var memory = MadeMemory()
      memory.add(0x1000, little(0, head, 0x7000, count) + [UInt8](repeating: 0, count: 0xA0 - 8) + little(next))
      return MemoryView(memory)
    }

    @Test("an object lives while it is counted and its memory is given out") func live() {
      #expect(Liveness(view: memory()).isObject(at: 0x1010, size: 160))
      #expect(Liveness(view: memory()).isObject(at: 0x1010, size: 168))
    }

    @Test("not when it is being destroyed, its memory is another one's, or nothing is like an object's")
    func dead() {
      #expect(!Liveness(view: memory(count: 1 << 32 | 3)).isObject(at: 0x1010, size: 160))
      #expect(!Liveness(view: memory(count: 0)).isObject(at: 0x1010, size: 160))
      #expect(!Liveness(view: memory(head: 0x211)).isObject(at: 0x1010, size: 160))
      #expect(!Liveness(view: memory(head: 0xB3)).isObject(at: 0x1010, size: 160))
      #expect(!Liveness(view: memory(next: 0x20)).isObject(at: 0x1010, size: 160))
      #expect(!Liveness(view: memory()).isObject(at: 0x1018, size: 160))
      #expect(!Liveness(view: memory()).isObject(at: 0x9010, size: 160))
      // An object's count may be kept elsewhere, and then that must lead back to it.
      #expect(!Liveness(view: memory(count: 3 << 62 | 0x1008 >> 3)).isObject(at: 0x1010, size: 160))
    }

    @Test("texts of all forms, and what is none") func texts() {
      var memory = MadeMemory()
      memory.add(0x1000, Array("short".utf8) + [0, 0, 0] + little(0xE5 << 56))
      memory.add(0x2000, little(1 << 60 | 20, 8 << 60 | 0x3000 - 32))
      memory.add(0x3000, Array("twenty bytes of text".utf8))
      memory.add(0x4000, little(0, 0) + little(1 << 60 | 1 << 40, 8 << 60) + little(5, 9 << 60))
      let view = MemoryView(memory)
      #expect(
        SwiftValues.text(at: 0x1000, view) == "short" && SwiftValues.text(at: 0x2000, view) == "twenty bytes of text")
      for address: UInt64 in [0x4000, 0x4010, 0x4020, 0x9000] { #expect(SwiftValues.text(at: address, view) == nil) }
    }
  }
#endif
