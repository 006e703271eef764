import Glibc
import OpTraceSymbols

/// Names and lines of addresses in a file that a fuzzer made up.
///
/// Nothing here may trap, hang, or take memory by a length that the bytes claim. The fuzzer's runtime watches over all three.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard ftruncate(file, 0) == 0, pwrite(file, start, count, 0) == count else { fatalError("cannot write the input") }
  let offsets = offsets(around: bytes)
  let addresses = offsets.map { CodeAddress(module: 0, offset: $0, isReturnAddress: $0 % 2 == 0) }
  let result = symbolicator.symbolicate(addresses, in: [CodeModule(path: "/proc/self/fd/\(file)")])
  guard result.frames.count == addresses.count, result.modules.count == 1 else { fatalError("answers are missing") }
  for trouble in result.modules[0].troubles where trouble.description.isEmpty { fatalError("a trouble says nothing") }
  return 0
}

/// Where the file's header says that its code begins, and far from there.
private func offsets(around bytes: UnsafeBufferPointer<UInt8>) -> [UInt64] {
  guard bytes.count >= 32 else { return [0, .max] }
  let entry = (24..<32).reduce(UInt64(0)) { $0 | UInt64(bytes[$1]) << UInt64(8 * ($1 - 24)) }
  return [0, .max] + (0..<64).map { entry &- 64 &+ 3 &* $0 }
}

private let symbolicator: Symbolicator = {
  var options = Symbolicator.Options()
  options.debugFolders = []
  return Symbolicator(options: options)
}()

/// One file for all inputs, without a name.
private let file: CInt = {
  var name = Array("/dev/shm/optrace-fuzz-XXXXXX".utf8CString)
  let file = mkstemp(&name)
  guard file >= 0 else { fatalError("cannot make a file in /dev/shm") }
  unlink(name)
  return file
}()
