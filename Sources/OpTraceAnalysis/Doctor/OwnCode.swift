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

  /// Whether the program decides what the operation does, as far as the module of its class tells. O(1).
  func isOwn(_ operation: OperationRecord) -> Bool {
    guard let module = operation.classModule else { return true }
    return !Self.systemModules.contains(module) || Self.plainClasses.contains(operation.className)
  }
}
