import OpTraceModel

/// Whose code an operation runs. What only its author can change is no finding for who uses it.
extension DoctorContext {
  /// The modules of Foundation and of what lies beneath it.
  private static let systemModules: Set = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
    "Dispatch", "Swift",
  ]
  /// What runs in these is given by who made them.
  private static let plainClasses: Set = ["Operation", "BlockOperation"]

  /// Whether the program decides what the operation does, as far as the module of its class tells, and of a block that of its
  /// function: a URL session adds blocks of its own to its delegate's queue. O(1).
  func isOwn(_ operation: OperationRecord) -> Bool {
    guard let module = operation.classModule, Self.systemModules.contains(module) else { return true }
    guard Self.plainClasses.contains(operation.className) else { return false }
    return !(operation.function?.module.map(Self.systemModules.contains) ?? false)
  }
}
