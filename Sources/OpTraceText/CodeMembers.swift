import OpTraceModel

extension CodeLocation {
  /// The keys that tell in every JSON output where an operation's code stands.
  var members: [JSONValue.Member] {
    [
      .init("function", .optional(function) { .string($0) }),
      .init("file", .optional(file) { .string($0) }),
      .init("line", .optional(line) { .integer($0) }),
      .init("module", .optional(module) { .string($0) }),
    ]
  }
}
