import NIOCore
import NIOHTTP1
import NIOPosix

/// One request, one answer, and then the connection ends. What a client may make the server hold is bounded: the head of
/// its request by `Limits`, and every wait for it by a time.
final class LocalConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  struct Limits: Sendable {
    /// Seconds until the request is there as a whole.
    var requestTime = 10.0
    /// Seconds until the client has taken the next piece of the answer.
    var pieceTime = 20.0
    /// Seconds until the client closes what is over.
    var closingTime = 5.0
    /// Open at a time. For one more, that one goes which has been open longest without the address; where all have
    /// shown it, others wait to be accepted.
    var connections = 200

    static let piece = 1 << 16
    /// Bytes of a request's head.
    static let head: NIOHTTPDecoderLimitConfiguration = {
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = 16 << 10
      limits.maxHeaderListSize = 64 << 10
      limits.maxHeaderFieldCount = 100
      return limits
    }()
  }

  private enum State {
    case waiting
    case making
    case sending(LocalAnswer, ByteBuffer)
    /// All is sent; the client has not closed yet.
    case closing(LocalAnswer)
    case over
  }

  private let site: any LocalSite
  private let limits: Limits
  private let makers: NIOThreadPool
  private var state = State.waiting
  private var deadline: Scheduled<Void>?

  /// - Parameter makers: where answers are made that take time.
  init(_ site: any LocalSite, _ limits: Limits, _ makers: NIOThreadPool) {
    self.site = site
    self.limits = limits
    self.makers = makers
  }

  /// Whether a request is being answered.
  var isBusy: Bool {
    switch state {
    case .waiting, .over: false
    case .making, .sending, .closing: true
    }
  }

  /// Whether the client has asked for what is there: it knows the address. Who has not asked yet, or was refused, has to
  /// make room.
  var isEntitled: Bool {
    switch state {
    case .waiting, .over: false
    case .making: true
    case .sending(let answer, _), .closing(let answer): answer.status < 400
    }
  }

  func handlerAdded(context: ChannelHandlerContext) { expect(within: limits.requestTime, context) }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    // We have closed our side, and now the client has closed its own: it has everything. An error, or our losing
    // patience, would have told before.
    if case .closing(let answer) = state { answer.whenFetched?() }
    state = .over
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Bodies, and what follows a first request, are thrown away.
    guard case .head(let head) = unwrapInboundIn(data), case .waiting = state else { return }
    let request = LocalRequest(
      method: head.method.rawValue, target: head.uri, headers: head.headers.map { ($0.name, $0.value) })
    switch site.reply(to: request, port: context.channel.localAddress?.port ?? 0) {
    case .now(let answer): send(answer, context)
    case .later(let make):
      state = .making
      deadline?.cancel()
      let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
      let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
      makers.runIfActive(eventLoop: context.eventLoop) { make() }.whenSuccess { answer in
        guard case .making = connection.value.state else { return }
        connection.value.send(answer, loopBound.value)
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError, case .waiting = state else {
      // What is sent may still arrive after the client has sent nonsense.
      if !(error is HTTPParserError) { end(context) }
      return
    }
    send(.refusal(error == .headerOverflow ? .tooLong : .malformed), context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let event = event as? ChannelEvent, event == .inputClosed else {
      return context.fireUserInboundEventTriggered(event)
    }
    // Others may have closed their side because they have said everything.
    if case .waiting = state { end(context) }
  }

  // MARK: - Sending

  private func send(_ answer: LocalAnswer, _ context: ChannelHandlerContext) {
    var headers = HTTPHeaders(answer.headers.map { ($0.name, $0.value) })
    if answer.status != 204 { headers.add(name: "content-length", value: String(answer.body.readableBytes)) }
    headers.add(name: "connection", value: "close")
    let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    let body = answer.isHeadOnly ? ByteBuffer() : answer.body
    state = .sending(answer, body)
    sendPiece(context)
  }

  /// A piece at a time: the next when the system has taken the last, so that a slow client is noticed.
  private func sendPiece(_ context: ChannelHandlerContext) {
    guard case .sending(let answer, var rest) = state else { return }
    let isLast = rest.readableBytes <= Limits.piece
    let piece = rest.readSlice(length: min(rest.readableBytes, Limits.piece)) ?? ByteBuffer()
    state = .sending(answer, rest)
    expect(within: limits.pieceTime, context)
    let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.whenComplete { result in
      let (connection, context) = (connection.value, loopBound.value)
      guard case .success = result else { return connection.end(context) }
      if isLast { connection.finish(answer, context) } else { connection.sendPiece(context) }
    }
    if isLast {
      if piece.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: nil) }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    } else {
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece))), promise: promise)
    }
  }

  /// Closing at once would make the system drop the answer if the client has sent more than was read.
  private func finish(_ answer: LocalAnswer, _ context: ChannelHandlerContext) {
    guard case .sending = state else { return }
    state = .closing(answer)
    expect(within: limits.closingTime, context)
    context.close(mode: .output, promise: nil)
  }

  private func expect(within seconds: Double, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
      connection.value.end(loopBound.value)
    }
  }

  private func end(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    state = .over
    context.close(promise: nil)
  }
}
