import Foundation
import OpTraceKernel
import OpTraceRunning
import OpTraceModel
import OpTraceProfile
import OpTraceSamples
import OpTraceText

/// `optrace profile TRACE --push URL`: until the program has ended, or Ctrl-C.
struct ProfilePush {
  let input: TraceInput
  let settings: PushSettings

  /// Seconds between two readings. A small ring may be overwritten in a few.
  private static let pause = 1.0

  func run() throws {
    let path = try input.location()
    guard input.canBeReadAgain, isTraceFile(path), let header = try? LiveReader(path: path).header,
      LiveProcess.writes(header)
    else { return try pushWhole() }
    let queue = PushQueue(settings.receiver)
    let pusher: ProfilePusher
    do {
      pusher = try ProfilePusher(
        path: path, since: LiveProcess.now(of: header), settings: settings, queue: queue, process: 1)
    } catch { throw input.failure(error) }
    var isOver = pusher.catchUp()
    if let nothing = pusher.refusal(in: input.name) { throw Failure(message: nothing, status: .noInput) }
    // From now on these signals only end the loop below.
    let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP])
    Console.error(
      "optrace: pushing profiles of \(printable(header.processName)) (\(header.processID)) every "
        + "\(DurationText.text(settings.every)) to \(settings.receiver.name), as \(settings.receiver.address.format.words); "
        + "Ctrl-C ends this\n")
    while !isOver {
      isOver = pusher.step()
      if isOver { break }
      var wanted = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&wanted, 1, Int32(Self.pause * 1000)) > 0, signals.take() != nil { break }
    }
    pusher.finish()
    try report(queue.finish { signals.take() != nil }, lost: pusher.lost)
  }

  /// All samples of a program that has ended.
  private func pushWhole() throws {
    let read = try input.read()
    var trace = read.trace
    if let nothing = ProfileNotes(Profile(of: trace)).nothing(in: input.name, isPart: false) {
      throw Failure(message: nothing, status: .noInput)
    }
    var names = PushedNames()
    names.name(&trace)
    var windows = ProfileWindows(every: settings.every, from: 0)
    windows.add(trace)
    let process = PushedProcess(trace.header, serviceName: settings.serviceName)
    let queue = PushQueue(settings.receiver)
    var lost = 0
    for window in windows.closeAll(at: trace.end) {
      lost += window.lost
      queue.waitForRoom()
      queue.add(try settings.body(window, of: process), samples: window.samples, process: 1)
    }
    try report(queue.finish(), lost: lost)
    try read.end()
  }

  private func report(_ ledger: PushLedger, lost: Int) throws {
    let rest = lost > 0 ? "; the recorder had no room for \(counted(lost, "more sample"))" : ""
    Console.error(ledger.summary + rest)
    if !ledger.isEverythingSent { throw ExitStatus.cannotWrite }
  }
}
