#if os(Linux)
  import Foundation
  import OpTraceAttach
  import OpTraceModel
  import OpTraceSnapshot
  import OpTraceText

  /// Why the recorder cannot be loaded into a program that runs, and what to do. The program is as it was.
  enum AttachFailure {
    static func failure(_ trouble: AttachTrouble, _ process: UInt32) -> Failure {
      if case .memory(let trouble) = trouble { return SnapshotFailure.failure(trouble, "\(process)") }
      return Failure(
        message: "process \(process) is not recorded: \(sentence(trouble, process))", status: .cannotRecord)
    }

    private static let start = "start it with 'optrace record -- PROGRAM'"

    private static func sentence(_ trouble: AttachTrouble, _ process: UInt32) -> String {
      switch trouble {
      case .memory(let trouble): "\(trouble)"
      case .otherProcessor: "this works on x86-64 alone; \(start)"
      case .stopped: "it is stopped by a signal; let it go on with 'kill -CONT \(process)'"
      case .traced(let tracer): "process \(tracer) traces it, as a debugger does; end that first"
      case .recorded(let traces): "it is being recorded already, into '\(printable(traces.first ?? ""))': read that"
      case .linkedWithOpTrace:
        "it is linked with OpTrace, and a process has one recorder; start it with OPTRACE_OUTPUT=FILE in its environment"
      case .linkedStatically:
        "it is linked statically, so nothing can be loaded into it; 'optrace doctor \(process)' looks at it"
      case .swiftLinkedIn:
        "Swift's libraries are linked into its file, and code of a program that runs is not changed; \(start)"
      case .nothingToRecord: "it has none of Swift's libraries, nor libdispatch"
      case .otherFiles(let path):
        "it does not see '\(printable(path))', because it is in a container or has another root folder; "
          + "install optrace there, and run it inside ('docker exec', 'kubectl exec')"
      case .otherProcessIDs:
        "it is in a container, with process ids of its own; run optrace inside ('docker exec', 'kubectl exec')"
      case .filtered:
        "it has a filter of system calls (seccomp) that optrace does not have, and might be ended for a call that the "
          + "recorder makes; in a container, run optrace inside ('docker exec', 'kubectl exec'); else \(start)"
      case .otherLoader(let why): "\(printable(why)); \(start)"
      case .noThread(let reasons):
        "no thread of it could be borrowed without a risk (\(counts(reasons))); try again, or \(start)"
      case .refused: "the system does not let its threads be stopped: \(MissingRight(for: process).remedy)"
      case .noNewThread(let number): "it can start no more threads: \(reason(number))"
      case .notLoaded(let why): "its loader refuses the recorder: \(printable(why)); \(start)"
      case .notBegun(let lines): lines.isEmpty ? "its recorder did not begin" : printable(lines.joined(separator: "; "))
      case .tooLong: "the paths of optrace and of the trace are too long for it; choose another folder with -o"
      case .noAnswer:
        "a thread was started in it, and has not answered: its loader is busy, or it gets no processor. If it begins later, "
          + "it ends by itself"
      case .ended: "it ended meanwhile"
      }
    }

    private static func counts(_ reasons: [AttachTrouble.NoThread: Int]) -> String {
      let all = AttachTrouble.NoThread.allCases.compactMap { why in
        reasons[why].map { "\(counted($0, "thread")) \(text(why, $0))" }
      }
      return all.isEmpty ? "it has none" : listed(all)
    }

    private static func text(_ why: AttachTrouble.NoThread, _ count: Int) -> String {
      switch why {
      case .running: count == 1 ? "runs" : "run"
      case .otherCall: "in a system call that must not be interrupted"
      case .busyInLibrary: "inside of the allocator, the loader or the C library"
      case .unclearStack: "with a stack that is not known to its end"
      case .smallStack: "with too little room on the stack"
      }
    }
  }
#endif
