/// The lines at which async functions wait.
///
/// Swift splits an async function at each `await`. A task that waits for a continuation or for a task has the address of the piece that
/// comes next: its mangled name is the function's, `TQ` and a number. Most of these pieces begin with the line of the `await`. Where the
/// function belongs to an actor they begin with the function's own line, and what they do first is what is left of the `await`: then the
/// piece's next line is the one.
struct AwaitLines {
  private struct Piece {
    var start: UInt64
    var end: UInt64
    /// Where the function begins; nil: not found.
    var function: UInt64?
  }
  private var pieces: [Piece] = []

  /// In bytes: how far from a piece's start its next line is looked for.
  private static let farthest: UInt64 = 160
  /// A function's pieces stand behind it: so many are passed on the way back to it.
  private static let mostPieces = 24

  /// - Parameters:
  ///   - lookups: addresses that are asked for.
  ///   - functions: for each the function that it lies in.
  ///   - names: mangled names of functions, by where the table of names has them.
  /// - Complexity: O(symbols · pieces of the function with the most) if there is a piece among them.
  init(
    _ lookups: [UInt64], _ functions: [FunctionSymbols.Symbol?], _ names: [UInt32: String], _ symbols: FunctionSymbols
  ) {
    var wanted: [(piece: Int, name: Substring, before: UInt64)] = []
    for (address, symbol) in zip(lookups, functions) {
      guard let symbol, symbol.start == address, symbol.size > 0, let name = names[symbol.name].flatMap(Self.function)
      else { continue }
      wanted.append((pieces.count, name, address))
      pieces.append(Piece(start: address, end: address + min(symbol.size, Self.farthest)))
    }
    for _ in 0..<Self.mostPieces where !wanted.isEmpty {
      wanted.sort { $0.before < $1.before }
      let found = symbols.functions(before: wanted.map(\.before))
      wanted = zip(wanted, found).compactMap { one, symbol in
        guard let symbol, let name = symbols.name(of: symbol), name.hasPrefix(one.name), symbol.start > 0 else {
          return nil
        }
        guard name.utf8.count > one.name.utf8.count else {
          pieces[one.piece].function = symbol.start
          return nil
        }
        return (one.piece, one.name, symbol.start)
      }
    }
  }

  /// `$s4main4loadyyYaF` of `$s4main4loadyyYaFTQ2_`; nil: it is no such piece.
  static func function(_ mangled: String) -> Substring? {
    var rest = Substring(mangled)
    guard rest.popLast() == "_" else { return nil }
    while let digit = rest.last, digit.isASCII, digit.isNumber { rest.removeLast() }
    return rest.hasSuffix("TQ") && rest.count > 2 ? rest.dropLast(2) : nil
  }

  /// More addresses to ask the line table for.
  var addresses: [UInt64] {
    pieces.flatMap { piece in
      piece.function.map { [$0] + Array(stride(from: piece.start + 2, to: piece.end, by: 2)) } ?? []
    }
  }

  /// For each piece that begins with the function's own line the location of its `await`; without those where it is not known.
  func locations(_ known: [UInt64: LineLocation]) -> [(address: UInt64, location: LineLocation)] {
    pieces.compactMap { piece in
      guard let entry = known[piece.start], let function = piece.function.flatMap({ known[$0] }),
        entry.line == function.line, entry.file == function.file
      else { return nil }
      let next = stride(from: piece.start + 2, to: piece.end, by: 2).lazy.compactMap { known[$0] }
        .first { $0.line > 0 && $0.line != entry.line && $0.file == entry.file }
      return next.map { (piece.start, $0) }
    }
  }
}
