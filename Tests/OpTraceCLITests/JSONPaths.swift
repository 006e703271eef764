import Foundation

/// The paths of a JSON document.
enum JSONPaths {
  /// The path of every key, with the type of its value. Array elements are `[]`.
  static func of(_ value: Any, _ path: String = "") -> Set<String> {
    switch value {
    case let object as [String: Any]:
      object.reduce(into: [path + "{}"]) { $0.formUnion(of($1.value, path + "." + $1.key)) }
    case let array as [Any]:
      array.reduce(into: [path + "[]"]) { $0.formUnion(of($1, path + "[]")) }
    case is NSNull: [path + ":null"]
    case is String: [path + ":string"]
    default: [path + ":number"]
    }
  }

  /// The paths of an object's keys, given as words.
  static func group(_ prefix: String, _ keys: String) -> Set<String> {
    Set(keys.split(separator: " ").map { prefix + "." + $0 }).union([prefix + "{}"])
  }
}
