#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  /// The program that says what it has, and what it says.
  struct Account {
    let program: RunningProgram
    /// The words of each line, by the first.
    let lines: [String: [[String]]]

    init(at url: URL, _ variables: [String: String] = [:]) throws {
      program = try RunningProgram(url, environment: RunningProgram.environment(adding: variables))
      var lines: [String: [[String]]] = [:]
      while let line = program.line(), line != "end" {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        lines[words[0], default: []].append(Array(words.dropFirst()))
      }
      self.lines = lines
    }

    init() throws { try self.init(at: try Built.program("AccountProgram")) }

    var id: UInt32 { UInt32(program.processID) }

    /// The lines of a kind as sets of words, sorted.
    subscript(_ kind: String) -> [[String]] { (lines[kind] ?? []).sorted { $0[0] < $1[0] } }

    static func text(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }

    /// Operations and queues of a snapshot, in the program's words.
    static func operations(_ found: FoundOperations) -> [[String]] {
      found.operations.values.map { one in
        [
          text(one.address), one.queue.map(text) ?? "-", one.className, one.state == .executing ? "executing" : "-",
          one.isCancelled ? "cancelled" : "-", one.dependencies.map(text).joined(separator: ","), one.name ?? "-",
        ]
      }.sorted { $0[0] < $1[0] }
    }

    static func queues(_ found: FoundOperations) -> [[String]] {
      found.queues.values.map { one in
        [
          text(one.address), "\(one.limit)", one.isSuspended ? "suspended" : "-", one.name ?? "-",
          one.operations.map(text).joined(separator: ","),
        ]
      }.sorted { $0[0] < $1[0] }
    }

    static func dispatchQueues(_ found: FoundDispatch) -> [[String]] {
      found.queues.values.filter { $0.label.hasPrefix("account.") }.map { one in
        [
          text(one.address), one.label, "\(one.width)", "\(one.suspendCount)", one.isInactive ? "inactive" : "-",
          "\(one.items.count)",
        ]
      }.sorted { $0[0] < $1[0] }
    }

    /// Tasks that are nobody's child, with the number of their children.
    static func tasks(_ found: FoundTasks) -> [[String]] {
      found.tasks.values.filter { $0.parent == nil }.map { one in
        let state =
          switch one.wait {
          case _ where one.isRunning: "runs"
          case .task: "task"
          case .continuation: "continuation"
          case .group: "group"
          case .executor: "executor"
          case nil: "-"
          }
        let children = found.tasks.values.count { $0.parent == one.address }
        return [text(one.address), state, one.isCancelled ? "cancelled" : "-", "\(children)"]
      }.sorted { $0[0] < $1[0] }
    }
  }
#endif
