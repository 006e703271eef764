#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system's text for an error number, in the style of OpTrace's messages.
package func reason(_ number: Int32) -> String {
  switch number {
  case ENOENT: "no such file"
  case EACCES, EPERM: "permission denied"
  case EISDIR: "it is a folder"
  case ENOTDIR: "part of the path is not a folder"
  case ENOSPC: "no space left on the device"
  case EROFS: "the file system is read-only"
  default: systemWords(number)
  }
}

/// The system's text for an error number, with the first letter in the style of OpTrace's messages.
package func systemWords(_ code: Int32) -> String {
  guard let words = strerror(code) else { return "error \(code)" }
  let text = String(cString: words)
  return text.prefix(1).lowercased() + text.dropFirst()
}
