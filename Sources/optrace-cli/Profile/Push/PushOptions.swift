import ArgumentParser
import OpTraceModel

/// The options for pushing profiles, the same for `profile` and `record`.
struct PushOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Send the samples of each minute to this receiver while the program runs, as http://collector:4318; with a path only if "
        + "it is not the usual one.",
      valueName: "url"))
  var push: String?

  @Option(
    help: ArgumentHelp(
      "What the receiver takes: 'otlp' (the default: OpenTelemetry's profiles over HTTP, at /v1development/profiles) or "
        + "'pyroscope' (pprof, at /push.v1.PusherService/Push; the default for a URL that ends so).",
      valueName: "format"))
  var pushFormat: PushReceiver.Format?

  @Option(
    help: ArgumentHelp(
      "What receivers call the service (default: OTEL_SERVICE_NAME, else the program's name).", valueName: "name"))
  var serviceName: String?

  @Option(
    help: ArgumentHelp(
      "A file with headers for the receiver, one a line, as 'Authorization: Bearer …' or 'X-Scope-OrgID: …'.",
      valueName: "file"),
    completion: .file())
  var pushHeaders: String?

  @Option(
    // So that a value such as -1 gets the message that says what is needed.
    parsing: .unconditional,
    help: ArgumentHelp("How long a request may take (default: 10s).", valueName: "time"))
  var pushTimeout: String?

  /// Seconds that a request may take without the option: as OpenTelemetry's exporters have it.
  private static let usualTimeout = 10.0

  func validate() throws {
    if let push {
      _ = try receiverAddress(push)
      _ = try timeout()
    } else {
      let alone: [(String, Bool)] = [
        ("--push-format", pushFormat != nil), ("--service-name", serviceName != nil),
        ("--push-headers", pushHeaders != nil), ("--push-timeout", pushTimeout != nil),
      ]
      if let name = alone.first(where: \.1)?.0 { throw ValidationError("\(name) needs --push.") }
    }
  }

  /// In seconds.
  func timeout() throws -> Double {
    guard let pushTimeout else { return Self.usualTimeout }
    guard let seconds = PushInterval.seconds(pushTimeout), (0.1...3600).contains(seconds) else {
      throw ValidationError("--push-timeout needs a time from 0.1s to 3600s, such as 10s.")
    }
    return seconds
  }

  func receiverAddress(_ push: String) throws -> PushReceiver.Address {
    guard let address = PushReceiver.Address(push, format: pushFormat) else {
      throw ValidationError(
        "--push needs an address such as http://localhost:4318, not '\(printable(PushReceiver.Address.shown(push)))'.")
    }
    return address
  }
}

/// How often profiles are pushed: the value of `--every` and `--push-every`.
enum PushInterval {
  static let usual: Nanoseconds = 60_000_000_000
  private static let allowed = 1.0...3600.0

  /// Throws a `ValidationError`. `option`: its name.
  static func nanoseconds(_ text: String?, option: String) throws -> Nanoseconds {
    guard let text else { return usual }
    guard let seconds = seconds(text), allowed.contains(seconds) else {
      throw ValidationError("\(option) needs a time from 1s to 3600s, such as 60s.")
    }
    return Nanoseconds((seconds * 1e9).rounded())
  }

  static func seconds(_ text: String) -> Double? {
    TimeArgument(argument: text).map { Double($0.nanoseconds) / 1e9 }
  }
}
