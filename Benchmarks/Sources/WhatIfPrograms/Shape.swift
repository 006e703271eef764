/// A program, and the changes that it is run with.
struct Shape: Sendable {
  let name: String
  /// Each as options of `optrace whatif`.
  let changes: [String]
  let run: @Sendable () -> Void

  init(_ name: String, _ changes: [String], run: @escaping @Sendable () -> Void) {
    (self.name, self.changes, self.run) = (name, changes, run)
  }
}
