import Foundation
import TestSupport
import Testing

/// Profiles of a trace that is over, so that it is known what has to come.
@Suite("optrace profile --push", .ownThread)
struct PushCommandTests {
  private let folder: Scratch
  private let trace: String

  /// Three seconds of a service: two kinds of requests, and a sample in each; times are microseconds.
  init() throws {
    folder = try Scratch()
    var service = ServiceTrace(sampled: true)
    service.trace.frame.process = "shop"
    let work = service.trace.stack(["serve()", "load()>parse()", "libz.so.1!inflate"])
    for connection in 0..<6 {
      let id = service.connection(connection * 10)
      for round in 0..<5 {
        let begin = 10_000 + connection * 500_000 + round * 90_000
        service.round(begin, id, [round % 2 == 0 ? "load()" : "save()", "query()"], waited: 1000)
        service.trace.sample(begin + 15, 2, work, inKernel: round == 1)
      }
    }
    trace = try folder.write("shop.txt", Array(service.text(end: 3_000_000).utf8))
  }

  private func push(_ url: String, _ options: String...) throws -> ProgramResult {
    try Command.run(
      arguments: ["profile", trace, "--push", url] + options, environment: ["OTEL_SERVICE_NAME": ""])
  }

  private func lines(_ result: ProgramResult) -> [String] { result.errors.split(separator: "\n").map { String($0) } }

  @Test("each window is a profile as OpenTelemetry defines it, with service, work, requests and stacks")
  func otlp() throws {
    let receiver = try ProfileReceiver()
    let result = try push(receiver.url, "--every", "1s")
    #expect(result.status == 0 && result.output == "", "\(result)")
    #expect(result.errors == "optrace: 3 profiles of 30 samples sent to \(receiver.url)/v1development/profiles\n")
    let profiles = try receiver.profiles
    #expect(profiles.flatMap(\.troubles) == [])
    #expect(profiles.map(\.count) == [10, 10, 10])
    #expect(profiles.map(\.duration) == [1_000_000_000, 1_000_000_000, 1_000_000_000])
    let start: UInt64 = 1_790_000_000_123_456_789
    #expect(profiles.map(\.time) == [start, start + 1_000_000_000, start + 2_000_000_000])
    #expect(Set(profiles.map(\.id)).count == 3 && profiles.allSatisfy { $0.id.count == 32 })
    let first = try #require(profiles.first)
    #expect(first.service == "shop" && first.scope == "optrace" && first.facts["process.pid"] == "4711")
    #expect(first.types == ["samples:count", "cpu:nanoseconds"] && first.period == 1_000_000)
    #expect(first.headers["content-type"] == "application/x-protobuf")
    #expect(first.samples.allSatisfy { $0.labels["optrace.task"] == "serve()" && $0.labels["thread.name"] == "worker" })
    #expect(Set(first.samples.compactMap { $0.labels["optrace.request"] }) == ["load()", "save()"])
    #expect(first.samples.contains { $0.stack == ["inflate", "parse()", "load()", "serve()"] }, "\(first.samples)")
    #expect(first.samples.contains { $0.stack.first == "[kernel]" }, "\(first.samples)")
  }

  @Test("Pyroscope gets a pprof file with the labels of its series")
  func pyroscope() throws {
    let receiver = try ProfileReceiver()
    let headers = try folder.write("headers", Array("X-Scope-OrgID: team\n\nAuthorization: Bearer secret\n".utf8))
    let result = try push(
      receiver.url, "--push-format", "pyroscope", "--service-name", "cart", "--push-headers", headers)
    #expect(
      result.errors == "optrace: 1 profile of 30 samples sent to \(receiver.url)/push.v1.PusherService/Push\n")
    let profile = try #require(receiver.profiles.first)
    #expect(profile.troubles == [] && profile.format == "pyroscope" && profile.service == "cart")
    #expect(profile.scope == "process_cpu" && profile.types == ["samples:count", "cpu:nanoseconds"])
    #expect(profile.count == 30 && profile.duration == 3_000_000_000)
    #expect(Set(profile.samples.flatMap { $0.labels.keys }) == ["task", "request"])
    #expect(profile.headers["x-scope-orgid"] == "team" && profile.headers["authorization"] == "Bearer secret")
    // A URL that ends so says the format, too; its password is not shown.
    let other = try push(
      receiver.url.replacingOccurrences(of: "//", with: "//me:pass@") + "/push.v1.PusherService/Push")
    #expect(other.status == 0 && !other.errors.contains("pass@"), "\(other)")
    #expect(try receiver.profiles.last?.headers["authorization"] == "Basic bWU6cGFzcw==")
    // Sent again, a profile has the same identity.
    #expect(Set(try receiver.profiles.map(\.id)).count == 1)
  }

  @Test(
    "a receiver that cannot take a profile now gets it later",
    arguments: ["status=503&times=1&words=busy", "status=429&times=1&retry_after=1", "status=502&times=2"])
  func later(_ faults: String) throws {
    let receiver = try ProfileReceiver()
    try receiver.faults(faults)
    let result = try push(receiver.url, "--push-timeout", "60s", "--every", "1s")
    #expect(result.status == 0, "\(result)")
    let failed = faults.contains("times=2") ? 2 : 1
    #expect(try receiver.requests.dropFirst(failed) == [200, 200, 200])
    #expect(try receiver.profiles.map(\.count) == [10, 10, 10])
    // What happened, in the receiver's words; once.
    let warnings = lines(result).filter { $0.hasPrefix("optrace: warning: ") }
    #expect(warnings.count == 1 && warnings[0].contains("cannot push profiles to \(receiver.url)"), "\(result.errors)")
    #expect(lines(result).contains { $0.hasSuffix("takes profiles again") }, "\(result.errors)")
    if faults.contains("busy") { #expect(warnings[0].contains(": status 503: busy; "), "\(warnings)") }
  }

  @Test("a receiver that is down ends nothing, and what is lost is counted")
  func down() throws {
    let port = try ProfileReceiver.freePort()
    let result = try push("http://127.0.0.1:\(port)", "--push-timeout", "1s", "--every", "1s")
    #expect(result.status == 73)
    let lines = lines(result)
    #expect(lines.count == 2, "\(result.errors)")
    #expect(
      lines.first?.hasPrefix(
        "optrace: warning: cannot push profiles to http://127.0.0.1:\(port)/v1development/profiles: ") == true)
    #expect(lines.first?.hasSuffix("; it is tried again, and the last 10 profiles are kept") == true, "\(lines)")
    #expect(
      lines.last
        == "optrace: 0 profiles of 0 samples sent to http://127.0.0.1:\(port)/v1development/profiles, 3 dropped"
    )
  }

  @Test(
    "what a receiver refuses is not sent again, and its own words are said once",
    arguments: [
      ("status=400&times=9&words=bad%0Asecond", "status 400: bad"),
      ("status=400&times=9&protobuf=1&words=too%20big", "status 400: too big"),
      ("status=401&times=9&json=1&words=who%3F", "status 401: who?"), ("status=404&times=9", "status 404"),
      ("status=400&times=9&words=%5Cx1b%5B31m%3A%3Aerror%3A%3Ared", "status 400: \u{FFFD}[31m::error::red"),
    ])
  func refused(_ faults: String, _ words: String) throws {
    let receiver = try ProfileReceiver()
    try receiver.faults(faults)
    let result = try push(receiver.url, "--every", "1s")
    let url = "\(receiver.url)/v1development/profiles"
    #expect(
      result
        == .init(
          status: 73, output: "",
          errors: "optrace: warning: \(url) refuses profiles: \(words)\n"
            + "optrace: 0 profiles of 0 samples sent to \(url), 3 refused\n"))
    #expect(try receiver.requests.count == 3)
  }

  @Test("a partial success is no success, and a wrong path is said")
  func rejected() throws {
    let receiver = try ProfileReceiver()
    try receiver.faults("rejected=1&times=1")
    let result = try push(receiver.url)
    #expect(result.status == 73 && result.errors.contains(" refuses profiles: too old\n"), "\(result)")
    let other = try push(receiver.url + "/elsewhere")
    #expect(other.status == 73 && other.errors.contains("/elsewhere refuses profiles: status 404: no such path\n"))
  }

  @Test("of a receiver that stays down, the last profiles are kept, and the others dropped")
  func dropping() throws {
    let receiver = try ProfileReceiver()
    try receiver.faults("status=503&times=1&retry_after=2")
    var many = ServiceTrace(sampled: true)
    let work = many.trace.stack(["main()"])
    for second in 0..<30 { many.trace.sample(second * 1_000_000 + 1, 2, work) }
    let path = try folder.write("many.txt", Array(many.text(end: 30_000_000).utf8))
    let result = try Command.run("profile", path, "--push", receiver.url, "--every", "1s")
    #expect(result.status == 73)
    let lines = lines(result)
    #expect(lines.filter { $0.contains("older profiles are dropped") }.count == 1, "\(lines)")
    #expect(lines.contains { $0.contains("takes profiles again; ") && $0.hasSuffix(" lost") }, "\(lines)")
    let profiles = try receiver.profiles
    let dropped = 30 - profiles.count
    #expect(dropped > 0 && profiles.count >= 10)
    #expect(lines.last?.hasSuffix(", \(dropped) dropped") == true, "\(lines)")
    // The newest are there.
    #expect(profiles.last?.time == 1_790_000_029_123_456_789)
  }

  @Test("a trace without samples says what to do, and wrong usage gives status 64")
  func usage() throws {
    let none = try Command.run(
      "profile", try folder.write("small.txt", Array(Fixture.small.utf8)), "--push", "http://h")
    #expect(none.status == 66)
    #expect(
      none.errors.hasSuffix("has no samples of processor time: record them with 'optrace record --profile'\n"),
      "\(none)")
    for (arguments, message) in [
      (["--push", "ftp://h"], "--push needs an address such as http://localhost:4318, not 'ftp://h'"),
      (["--push", "localhost:4318"], "--push needs an address such as http://localhost:4318, not 'localhost:4318'"),
      (["--push", "http://me:secret@"], "--push needs an address such as http://localhost:4318, not 'http://…@'"),
      (["--push", "http://h", "--every", "-1"], "--every needs a time from 1s to 3600s, such as 60s"),
      (["--push", "http://h", "--every", "x"], "--every needs a time from 1s to 3600s, such as 60s"),
      (["--push", "http://h", "--push-timeout", "0"], "--push-timeout needs a time from 0.1s to 3600s, such as 10s"),
      (["--push", "http://h", "--json"], "--push sends all samples, and shows nothing: omit --json"),
      (["--every", "60s"], "--every needs --push"), (["--service-name", "x"], "--service-name needs --push"),
      (["--push-format", "otlp"], "--push-format needs --push"),
    ] {
      let result = try Command.run(arguments: ["profile", trace] + arguments)
      #expect(result.status == 64 && result.errors.hasPrefix("optrace: \(message)\n"), "\(arguments): \(result)")
    }
    let missing = try push("http://h", "--push-headers", folder.path("none"))
    #expect(missing.status == 66 && missing.errors.contains("cannot read the headers in "), "\(missing)")
    let wrong = try push("http://h", "--push-headers", try folder.write("wrong", Array("A: b\nsecret".utf8)))
    #expect(wrong.status == 66 && !wrong.errors.contains("secret"), "\(wrong)")
    #expect(wrong.errors.hasSuffix("its header 2 has no 'Name: value'\n"), "\(wrong)")
  }
}
