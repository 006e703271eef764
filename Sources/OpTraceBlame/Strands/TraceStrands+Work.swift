import OpTraceKernel
import OpTraceModel

extension TraceStrands {
  /// What an operation did: it was submitted, waited for dependencies and a slot, ran.
  mutating func pieces(
    of operation: OperationRecord, _ index: Int, _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [StrandPiece] {
    var pieces = StretchPieces(from, to)
    let location = code.path(operation.addedAt).location
    if let submitted = operation.submitted?.time { pieces.add(until: submitted, beforeSubmission(operation)) }
    let began = operation.began?.time ?? operation.over ?? trace.end
    if let ready = operation.runnable {
      pieces.add(
        until: min(ready, began),
        .waits(
          BlameResource(.dependency, "", location), by: strand(lastDependency(of: operation)),
          orElse: BlameEnd(.unknown)))
    }
    let slot = BlameResource(.slot, title(of: operation.scheduler), location)
    addTurn(slot, operation, index, until: min(began, to), to: &pieces)
    addRuns(of: operation, operation.function.map { place(of: $0) } ?? -1, to: &pieces)
    return pieces.finish()
  }

  /// The dependency that was over last, which is the one that it waited for.
  private func lastDependency(of operation: OperationRecord) -> WorkID? {
    operation.dependencies.compactMap { edge in trace.operation(edge.on) }
      .max { ($0.over ?? .max) < ($1.over ?? .max) }?.id
  }

  /// What a block did: it was submitted, waited for its turn, ran.
  mutating func pieces(of block: BlockRecord, _ index: Int, _ from: Nanoseconds, _ to: Nanoseconds) -> [StrandPiece] {
    var pieces = StretchPieces(from, to)
    if let submitted = block.submitted?.time { pieces.add(until: submitted, beforeSubmission(block)) }
    let location = code.path(block.submittedAt).location
    let began = block.began?.time ?? block.over ?? trace.end
    if block.way == .after { pieces.add(until: began, .ends(BlameEnd(.sleep, "", location))) }
    let turn = BlameResource(.queue, title(of: block.scheduler), location)
    addTurn(turn, block, index, until: min(began, to), to: &pieces)
    addRuns(of: block, code.path(block.code).location, to: &pieces)
    return pieces.finish()
  }

  /// A wait for a queue, which what ran on it had meanwhile, each to the same share. Where nothing ran, it waited for a thread.
  private func addTurn(
    _ turn: BlameResource, _ work: some Work, _ index: Int, until end: Nanoseconds, to pieces: inout StretchPieces
  ) {
    for piece in queues.pieces(of: CollectionOfOne(work.scheduler).compactMap(\.self), except: index, pieces.at, end) {
      pieces.add(
        until: piece.ended, .waits(turn, by: piece.work.map { .work($0) }, orElse: BlameEnd(.machine)))
    }
  }

  private mutating func addRuns(of work: some Work, _ location: Int32, to pieces: inout StretchPieces) {
    for run in work.runs {
      pieces.add(until: run.began, .ends(BlameEnd(.unknown)))
      let ended = run.ended ?? trace.end
      pieces.add(ran(on: run.thread, pieces.at, max(pieces.at, ended), after: location))
    }
  }

  private mutating func place(of symbol: SymbolRecord) -> Int32 {
    code.index(
      of: CodeLocation(function: symbol.shortName, file: symbol.file, line: symbol.line, module: symbol.module))
  }
}
