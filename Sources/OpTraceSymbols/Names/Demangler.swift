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
  /// In bytes. A longer name is not demangled.
  static let longest = 1 << 13

  static func swift(_ name: String) -> String? {
    let length = name.utf8.count
    guard length <= longest else { return nil }
    return taken(swiftDemangle(name, length, nil, nil, 0))
  }

  /// Nil too where no runtime of C++ is in the process.
  static func cxx(_ name: String) -> String? {
    guard name.utf8.count <= longest, let demangle = cxaDemangle else { return nil }
    return taken(demangle(name, nil, nil, nil))
  }

  private typealias CxaDemangle =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int32>?
    ) -> UnsafeMutablePointer<CChar>?

  /// Swift's own libraries bring it, and nothing here is linked with C++ for it.
  private static let cxaDemangle: CxaDemangle? = {
    guard let own = dlopen(nil, RTLD_NOW), let found = dlsym(own, "__cxa_demangle") else { return nil }
    return unsafeBitCast(found, to: CxaDemangle.self)
  }()

  private static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text else { return nil }
    defer { free(text) }
    let name = String(cString: text)
    return name.isEmpty ? nil : name
  }
}
