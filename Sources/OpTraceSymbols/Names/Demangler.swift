#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Swift's runtime demangles its own names. It is named for the linker, and not looked up at run time, so that a program that
/// is linked statically has it too. It is a function in C; these arguments are passed alike in both conventions.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// The demanglers of the process.
enum Demangler {
  enum Language {
    case swift, cxx
  }

  /// In bytes. A longer name is not demangled.
  static let longest = 1 << 13

  /// Nil: a name as it is in the source.
  static func language(_ name: String) -> Language? {
    guard name.utf8.count <= longest else { return nil }
    if ["$s", "$S", "_$s", "_$S", "$e", "_$e", "_T0"].contains(where: { name.hasPrefix($0) }) { return .swift }
    return name.hasPrefix("_Z") ? .cxx : nil
  }

  /// A text to free, for a name with its closing zero.
  static func demangle(_ name: [CChar]) -> UnsafeMutablePointer<CChar>? {
    if name.starts(with: [95, 90]) { return cxaDemangle?(name, nil, nil, nil) }
    return swiftDemangle(name, name.count - 1, nil, nil, 0)
  }

  static func text(_ name: String) -> String? {
    guard let text = demangle(Array(name.utf8CString)) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  private typealias CxaDemangle =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int32>?
    ) -> UnsafeMutablePointer<CChar>?

  /// Swift's own libraries bring it, and nothing here is linked with C++ for it; nil: they do not.
  private static let cxaDemangle: CxaDemangle? = {
    guard let own = dlopen(nil, RTLD_NOW), let found = dlsym(own, "__cxa_demangle") else { return nil }
    return unsafeBitCast(found, to: CxaDemangle.self)
  }()

  /// Looks it up, before a child is made that must not load anything.
  static func prepare() { _ = cxaDemangle }
}
