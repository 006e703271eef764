#if CLI
  import Foundation
  import NIOCore
  import Testing

  @testable import optrace_cli

  /// A page of a chosen size at `/`, and nothing else.
  private struct TestSite: LocalSite {
    private var answer = LocalAnswer(status: 200)

    init(size: Int = 5, whenFetched: (@Sendable () -> Void)? = nil) {
      answer.body.writeRepeatingByte(UInt8(ascii: "a"), count: size)
      answer.whenFetched = whenFetched
    }

    func reply(to request: LocalRequest, port: Int) -> LocalReply {
      guard request.path == "/" else { return .now(.refusal(.notFound)) }
      var answer = answer
      answer.isHeadOnly = request.method == "HEAD"
      return .later { [answer] in answer }
    }
  }

  /// For clients that block: the server makes its answers on the threads that tests run on.
  private func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
  }

  /// Counts from several threads. The lock guards the number.
  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0
    var value: Int { lock.withLock { number } }
    func add() { lock.withLock { number += 1 } }
  }

  /// The server of `optrace view`, and clients that behave badly.
  @Suite("The command view: its server")
  struct ViewServerTests {
    private static let impatient: LocalConnection.Limits = {
      var limits = LocalConnection.Limits()
      limits.requestTime = 1
      limits.pieceTime = 1
      limits.closingTime = 1
      return limits
    }()

    /// Runs `body` with the server's port.
    private func with(
      _ site: TestSite, _ limits: LocalConnection.Limits = .init(), _ body: @escaping @Sendable (Int) throws -> Void
    ) async throws {
      try await onOwnThread {
        let server = try LocalServer(site, port: 0, limits: limits)
        defer { server.finish() }
        try body(server.port)
      }
    }

    @Test("an answer is whole, and then the connection is over")
    func answers() async throws {
      try await with(TestSite(size: 3_000_000)) { port in
        let answer = try LocalClient.get("/", port: port)
        #expect(answer.status == 200 && answer.body.utf8.count == 3_000_000)
        #expect(answer.headers["connection"] == "close" && answer.headers["content-length"] == "3000000")
      }
    }

    @Test("HEAD tells the length and sends nothing")
    func head() async throws {
      try await with(TestSite()) { port in
        let answer = try LocalClient.get("/", port: port, method: "HEAD")
        #expect(answer.status == 200 && answer.headers["content-length"] == "5" && answer.body == "")
      }
    }

    @Test("a client that has said all and closes its side gets its answer")
    func halfClosed() async throws {
      try await with(TestSite()) { port in
        let client = try LocalClient(port: port)
        client.send(LocalClient.head("/", port: port))
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(client.receiveAll().hasSuffix("\r\n\r\naaaaa"))
      }
    }

    @Test("what follows the first request is left alone")
    func pipelined() async throws {
      try await with(TestSite()) { port in
        let request = LocalClient.head("/", port: port)
        let answer = try LocalClient.answer(port: port, to: request + request + request)
        #expect(answer.status == 200 && answer.body == "aaaaa")
      }
    }

    @Test("a body is not read", arguments: ["GET", "POST"])
    func bodies(method: String) async throws {
      try await with(TestSite()) { port in
        let client = try LocalClient(port: port)
        client.send(LocalClient.head("/", port: port, method: method, ["Content-Length: 100000000"]))
        client.send(String(repeating: "b", count: 300_000))
        #expect(LocalClient.Answer(client.receiveAll()).body == "aaaaa")
      }
    }

    @Test(
      "a broken request: 400 without a word",
      arguments: [
        "nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      ])
    func broken(request: String) async throws {
      try await with(TestSite()) { port in
        let answer = try LocalClient.answer(port: port, to: request)
        #expect(answer.status == 400 && answer.body == "")
        #expect(try LocalClient.get("/", port: port).status == 200)
      }
    }

    @Test("a request that is too long is refused before it is over")
    func tooLong() async throws {
      try await with(TestSite()) { port in
        let long = String(repeating: "a", count: 100_000)
        for request in [
          "GET /\(long)", "GET / HTTP/1.1\r\nX: \(long)", "GET / HTTP/1.1\r\n\(long)",
          "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 1_000),
          "GET / HTTP/1.1\r\n" + String(repeating: "A: \(long.prefix(10_000))\r\n", count: 10),
        ] {
          let status = try LocalClient.answer(port: port, to: request).status
          #expect(status == 431)
        }
        #expect(try LocalClient.get("/", port: port).status == 200)
      }
    }

    @Test("a request byte by byte is answered; one that never ends is dropped, and others do not wait for it")
    func slowRequests() async throws {
      try await with(TestSite()) { port in
        let slow = try LocalClient(port: port)
        for byte in LocalClient.head("/", port: port) { slow.send(String(byte)) }
        #expect(LocalClient.Answer(slow.receiveAll()).status == 200)
      }
      try await with(TestSite(), Self.impatient) { port in
        let clients = try (0..<20).map { _ in try LocalClient(port: port) }
        for client in clients { client.send("GET / HT") }
        #expect(try LocalClient.get("/", port: port).status == 200)
        // They go on sending, and yet it ends.
        let dripping = clients[0]
        while dripping.send("\u{20}") { usleep(20_000) }
        for client in clients.dropFirst() { #expect(client.receiveAll() == "") }
      }
    }

    @Test("a client that does not take its answer is dropped; others do not wait for it")
    func slowReaders() async throws {
      let size = 50_000_000
      try await with(TestSite(size: size), Self.impatient) { port in
        let clients = try (0..<5).map { _ in try LocalClient(port: port, receiveBuffer: 4096) }
        for client in clients { client.send(LocalClient.head("/", port: port)) }
        let whole = try LocalClient.get("/", port: port)
        #expect(whole.body.utf8.count == size)
        sleep(3)
        for client in clients { #expect(client.receiveAll().utf8.count < size) }
      }
    }

    @Test("a client that goes away harms nobody")
    func goneClients() async throws {
      let fetched = Counter()
      try await with(TestSite(size: 50_000_000, whenFetched: fetched.add)) { port in
        for _ in 0..<20 {
          let client = try LocalClient(port: port)
          client.send(LocalClient.head("/", port: port))
          _ = client.receive(1000)
        }
        #expect(fetched.value == 0)
        #expect(try LocalClient.get("/", port: port).body.utf8.count == 50_000_000)
      }
      #expect(fetched.value == 1)
    }

    @Test("1,000 clients at a time are all served, a bounded number of them at once")
    func manyClients() async throws {
      try await with(TestSite(size: 20_000)) { port in
        let answered = Counter()
        let threads = (0..<20).map { _ in
          Thread {
            let clients = (0..<50).compactMap { _ in try? LocalClient(port: port) }
            for client in clients { client.send(LocalClient.head("/", port: port)) }
            for client in clients where LocalClient.Answer(client.receiveAll()).body.utf8.count == 20_000 {
              answered.add()
            }
          }
        }
        for thread in threads { thread.start() }
        while threads.contains(where: { !$0.isFinished }) { usleep(10_000) }
        #expect(answered.value == 1000)
      }
    }

    @Test("clients that say nothing hold no more than their share, and make room in time")
    func silentClients() async throws {
      var limits = Self.impatient
      limits.connections = 10
      try await with(TestSite(), limits) { port in
        let silent = (0..<100).compactMap { _ in try? LocalClient(port: port) }
        let status = try LocalClient.get("/", port: port).status
        #expect(status == 200 && !silent.isEmpty)
      }
    }

    @Test("the end waits for answers that are on their way, and for nobody else")
    func finishing() async throws {
      try await onOwnThread(Self.finish)
    }

    private static func finish() throws {
      let server = try LocalServer(TestSite(size: 20_000_000), port: 0)
      let silent = try LocalClient(port: server.port)
      let reading = try LocalClient(port: server.port)
      reading.send(LocalClient.head("/", port: server.port))
      let first = reading.receive(1)
      #expect(first == Array("H".utf8))
      let ending = Thread { server.finish() }
      ending.start()
      #expect(silent.receiveAll() == "")
      #expect(reading.receiveAll().utf8.count > 20_000_000)
      shutdown(reading.descriptor, Int32(SHUT_WR))
      while !ending.isFinished { usleep(1000) }
      #expect(throws: LocalClient.Refused.self) { try LocalClient(port: server.port) }
    }

    @Test("a port that is taken is named, with what to do")
    func takenPort() async throws {
      try await with(TestSite()) { port in
        do {
          _ = try LocalServer(TestSite(), port: port)
          Issue.record("two servers on one port")
        } catch let failure as Failure {
          #expect(failure.message == "cannot listen on port \(port) of 127.0.0.1: another program listens there")
          #expect(failure.status == .cannotWrite)
        }
      }
    }
  }
#endif
