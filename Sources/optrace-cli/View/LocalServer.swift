import OpTraceModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP server on 127.0.0.1, which nobody outside this machine reaches. One thread serves all connections, another one
/// makes what takes time: none of Swift's tasks, whose threads the rest of the process may hold.
final class LocalServer: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let makers: NIOThreadPool
  private let channel: any Channel
  private let connections: NIOLoopBound<OpenConnections>

  /// Where it listens.
  let port: Int

  /// - Parameter port: 0 for any that is free. Throws ``Failure`` where it cannot be had.
  init(_ site: any LocalSite, port: Int, limits: LocalConnection.Limits = .init()) throws {
    let (group, makers) = Self.threads()
    let loop = group.next()
    let connections = try loop.submit {
      NIOLoopBound(OpenConnections(most: limits.connections), eventLoop: loop)
    }.wait()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { connections.value.listener = channel }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(HTTPResponseEncoder())
          try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: LocalConnection.Limits.head)))
          try pipeline.addHandler(NIOHTTPResponseHeadersValidator())
          let connection = LocalConnection(site, limits, makers)
          try pipeline.addHandler(connection)
          connections.value.add(connection, channel)
        }
      }
    do {
      channel = try ClosedPipes.keepingTheirHandling { try bootstrap.bind(host: "127.0.0.1", port: port).wait() }
    } catch {
      try? group.syncShutdownGracefully()
      try? makers.syncShutdownGracefully()
      throw Self.failure(error, port: port)
    }
    self.group = group
    self.makers = makers
    self.connections = connections
    self.port = channel.localAddress?.port ?? port
  }

  /// Those that serve and those that make. A connection that was closed is told to none of them by a signal.
  private static func threads() -> (MultiThreadedEventLoopGroup, NIOThreadPool) {
    ClosedPipes.blocked {
      let makers = NIOThreadPool(numberOfThreads: 1)
      makers.start()
      return (MultiThreadedEventLoopGroup(numberOfThreads: 1), makers)
    }
  }

  /// How many connections are open. Waits for the thread that serves them.
  var connectionCount: Int {
    (try? channel.eventLoop.submit { [connections] in connections.value.count }.wait()) ?? 0
  }

  private static func failure(_ error: any Error, port: Int) -> Failure {
    let number = (error as? IOError)?.errnoCode ?? EIO
    let why = number == EADDRINUSE ? "another program listens there" : reason(number)
    return Failure(message: "cannot listen on port \(port) of 127.0.0.1: \(why)", status: .cannotWrite)
  }

  /// Accepts nobody any more, and waits until those who are being answered have their answers. Each is waited for no
  /// longer than the limits say.
  func finish() {
    let done = channel.eventLoop.makePromise(of: Void.self)
    channel.eventLoop.execute { [connections] in connections.value.drain(done) }
    try? done.futureResult.wait()
    try? group.syncShutdownGracefully()
    try? makers.syncShutdownGracefully()
  }
}

/// The connections that are open, all on one event loop. Where there are too many, those make room whose clients have not
/// shown that they know the address, so that nobody can keep out who does. While all know it, none is accepted.
private final class OpenConnections {
  private let most: Int
  /// By the order in which they came.
  private var open: [Int: (connection: LocalConnection, channel: any Channel)] = [:]
  private var last = 0
  private var isPaused = false
  private var drained: EventLoopPromise<Void>?
  var listener: (any Channel)?

  init(most: Int) { self.most = most }

  var count: Int { open.count }

  func add(_ connection: LocalConnection, _ channel: any Channel) {
    last += 1
    let key = last
    open[key] = (connection, channel)
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    channel.closeFuture.whenComplete { _ in bound.value.remove(key) }
    if open.count > most { makeRoom() }
  }

  /// Never the last one, which has had no time to say anything.
  private func makeRoom() {
    if let oldest = open.filter({ $0.key != last && !$0.value.connection.isEntitled }).min(by: { $0.key < $1.key }) {
      // At once: it is told later that it is closed, and others may come before.
      open[oldest.key] = nil
      oldest.value.channel.close(promise: nil)
    } else {
      accepts(false)
    }
  }

  private func remove(_ key: Int) {
    open[key] = nil
    if open.count <= most { accepts(true) }
    if open.isEmpty { drained?.succeed() }
  }

  private func accepts(_ wanted: Bool) {
    guard isPaused == wanted else { return }
    isPaused = !wanted
    listener?.setOption(.autoRead, value: wanted).whenFailure { _ in }
  }

  func drain(_ promise: EventLoopPromise<Void>) {
    drained = promise
    listener?.close(promise: nil)
    for entry in open.values where !entry.connection.isBusy { entry.channel.close(promise: nil) }
    if open.isEmpty { promise.succeed() }
  }
}
