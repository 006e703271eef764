#if os(Linux)
  import COpTrace
  import Foundation
  import OpTraceFormat
  import OpTraceKeeping
  import OpTraceModel
  import OpTraceText

  /// Makes kept files: a copy of a trace with its reason and the names of its code, whole or not at all.
  struct Keeper {
    /// What an examination of the copy says.
    enum Verdict {
      case keep(reason: String, stacks: StackTable)
      case discard
    }

    /// - Parameters:
    ///   - trace: the file that the program writes.
    ///   - path: the file to write.
    ///   - reason: a preliminary one; an examination may give another.
    ///   - examine: looks at the copy, which has no name yet; nil: it is kept in any case.
    /// - Returns: the reason and the number of bytes; nil: it was discarded.
    static func keep(
      _ trace: String, as path: String, reason: String, names: KeptNames, examine: ((String) throws -> Verdict)? = nil
    ) throws -> (reason: String, bytes: UInt64)? {
      let temporary = try TemporaryFile(beside: path, named: path, mode: 0o600)
      defer { temporary.discard() }
      do {
        _ = try temporary.withDescriptor { descriptor in
          try TraceCopy.write(trace, to: descriptor, reason: reason) { optrace_clock_monotonic() }
        }
      } catch let problem as TraceCopy.Problem {
        switch problem {
        case .cannotWrite(let number): throw Failure.cannotWrite(path, OpTraceModel.reason(number))
        case .source(let error): throw TraceInput(path: trace).failure(error)
        }
      }
      let copy = temporary.withPath { RawPath.text($0) }
      var why = reason
      var stacks: StackTable?
      if let examine {
        guard case .keep(let found, let table) = try examine(copy) else { return nil }
        (why, stacks) = (found, table)
        if let number = TraceCopy.rename(reason: why, inFile: copy) {
          throw Failure.cannotWrite(path, OpTraceModel.reason(number))
        }
      }
      if let stacks = stacks ?? TraceCopy.stacks(ofFile: copy) {
        if case .cannotWrite(let number) = try names.add(toFile: copy, stacks) {
          throw Failure.cannotWrite(path, OpTraceModel.reason(number))
        }
      }
      var status = stat()
      let bytes = stat(copy.asPath, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
      if let number = temporary.publish(as: path) { throw Failure.cannotWrite(path, OpTraceModel.reason(number)) }
      return (why, bytes)
    }

    /// A name beside the trace that no file has.
    static func freePath(of trace: String, word: String) -> String {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      let utc = utcText(UInt64(time.tv_sec) * 1_000_000_000)
      var number = 1
      while true {
        let path = KeptFiles.name(of: trace, word: word, utc: utc, number: number)
        if access(path.asPath, F_OK) != 0 { return path }
        number += 1
      }
    }
  }

  /// Names of a process's code, looked up once for all files that are kept of it.
  final class KeptNames {
    private var names: [FrameRecord.Address: [SymbolRecord]] = [:]
    private var known: Set<FrameRecord.Address> = []
    private let debugFile: String?

    init(debugFile: String?) { self.debugFile = debugFile }

    /// Adds the names to a trace in memory.
    func name(_ trace: inout Trace) {
      let found = names(of: trace.stacks)
      trace.name(found.map { (frame: $0.frame, symbols: $0.symbols) })
    }

    func add(toFile path: String, _ stacks: StackTable) throws -> SymbolWriter.Outcome {
      let found = names(of: stacks)
      return found.isEmpty ? .done : try SymbolWriter.append(found, toFile: path)
    }

    private func names(of stacks: StackTable) -> [SymbolWriter.Names] {
      let all = stacks.addresses
      let old = Set(all.lazy.filter { self.known.contains($0.address) }.map(\.frame))
      if old.count < all.count {
        let found = TraceSymbols(of: stacks, besides: old, debugFile: debugFile).names
        let addresses = Dictionary(all.map { ($0.frame, $0.address) }, uniquingKeysWith: { first, _ in first })
        for name in found { if let address = addresses[name.frame] { names[address] = name.symbols } }
        for entry in all { known.insert(entry.address) }
      }
      return all.compactMap { entry in names[entry.address].map { (entry.frame, $0) } }
    }
  }
#endif
