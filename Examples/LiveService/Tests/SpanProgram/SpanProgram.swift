import OpTraceTracing
import Tracing

/// A service as people write it. With a number: measures what a span costs.
@main struct SpanProgram {
  struct Timeout: Error, CustomStringConvertible { var description: String { "timeout" } }

  struct Names: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String]) { carrier.append(key) }
  }

  static func main() async {
    if let count = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) { return measure(count) }
    InstrumentationSystem.bootstrap(RecordingTracer())
    await withSpan("request", ofKind: .server) { span in
      span.attributes["user"] = "ann"
      _ = await Task {
        try await withSpan("query", ofKind: .client) { _ in
          await Task.yield()
          throw Timeout()
        }
      }.result
      var names: [String] = []
      InstrumentationSystem.instrument.inject(span.context, into: &names, using: Names())
      print(names.isEmpty ? "none" : names.joined(separator: " "))
    }
  }

  private static func measure(_ count: Int) {
    report("NoOpTracer", count, NoOpTracer())
    report("RecordingTracer", count, RecordingTracer())
  }

  private static func report(_ name: String, _ count: Int, _ tracer: some Tracer) {
    var best = Duration.seconds(1000)
    for _ in 0..<10 {
      let time = ContinuousClock().measure {
        for _ in 0..<count {
          tracer.withSpan("span") { span in
            span.updateAttributes {
              $0["http.request.method"] = "GET"
              $0["http.response.status_code"] = 200
            }
          }
        }
      }
      best = min(best, time)
    }
    print("\(name): \(best / count) each")
  }
}
