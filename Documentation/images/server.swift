// What scripts/make-readme-images records for server.png: a small server without Foundation and without operations. A
// dispatch source accepts, a task serves each connection, an actor keeps what was read, a serial queue is the disk.
// usage: server REQUESTS: prints its port, serves so many requests, and ends.
import Dispatch
import Glibc

let disk = DispatchQueue(label: "disk.io")
let pages = Pages()

/// What was read from the disk already.
actor Pages {
  private var known: [Int: [UInt8]] = [:]

  func page(_ number: Int) async -> [UInt8] {
    if let page = known[number] { return page }
    let page = await read(number)
    known[number] = page
    return page
  }
}

func read(_ number: Int) async -> [UInt8] {
  await withCheckedContinuation { continuation in
    disk.async {
      usleep(4000)
      continuation.resume(returning: Array("page \(number)".utf8))
    }
  }
}

func render(_ page: [UInt8], part: Int) -> [UInt8] {
  usleep(1500)
  return page + [UInt8(48 + part)]
}

func serve(_ connection: Int32, _ number: Int) async {
  let page = await pages.page(number % 3)
  let body = await withTaskGroup(of: [UInt8].self) { group in
    for part in 1...2 { group.addTask(name: "part \(part)") { render(page, part: part) } }
    return await group.reduce(into: [UInt8]()) { $0 += $1 }
  }
  _ = body.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
  close(connection)
}

func listening() -> (socket: Int32, port: UInt16) {
  let one = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = bind(one, $0, size)
      _ = listen(one, 64)
      _ = getsockname(one, $0, &size)
    }
  }
  return (one, address.sin_port.bigEndian)
}

let requests = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 12 : 12
let (listener, port) = listening()
let source = DispatchSource.makeReadSource(fileDescriptor: listener)
let connections = AsyncStream<Int32> { accepted in
  source.setEventHandler { accepted.yield(accept(listener, nil, nil)) }
  source.resume()
}
print(port)
fflush(stdout)
await withDiscardingTaskGroup { group in
  var count = 0
  for await connection in connections {
    let number = count
    group.addTask(name: "request \(number)") { await serve(connection, number) }
    count += 1
    if count == requests { break }
  }
}
