import CoreMetrics
import Foundation
import OpTrace
import OpTraceMetrics
import OpTraceTracing
import Tracing

// Serves 50 requests, each by eight operations in four queues; three of them wait for others of the same request. The spans go to a
// collector, the metrics to whoever scrapes them, until standard input ends.
// usage: LiveService COLLECTOR_PORT METRICS_PORT

guard CommandLine.arguments.count == 3, let collectorPort = UInt16(CommandLine.arguments[1]),
  let metricsPort = UInt16(CommandLine.arguments[2])
else {
  print("usage: LiveService COLLECTOR_PORT METRICS_PORT")
  exit(64)
}

let tracer = CollectorTracer(service: "live-service", port: collectorPort)
let scraped = ScrapedMetrics()
InstrumentationSystem.bootstrap(tracer)
MetricsSystem.bootstrap(scraped)

// What is observed is what is recorded: into a ring, which tells of the last moments when something hangs.
let trace = FileManager.default.temporaryDirectory.appendingPathComponent("live-service-\(getpid()).optrace")
let recorder = try TraceRecorder(writingTo: trace, configuration: .flightRecorder(capacity: 1 << 20))
try recorder.instrumentProcess()
OperationTracing.start()
let metrics = OperationMetrics.start()

let network = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 4, recorder: recorder)
let decoding = TracedOperationQueue(name: "decoding", recorder: recorder)
// One that knows nothing of OpTrace, as those of other packages.
let tiles = OperationQueue()
tiles.name = "tiles"
tiles.maxConcurrentOperationCount = 2
let publishing = TracedOperationQueue(name: "publishing", maxConcurrentOperationCount: 1, recorder: recorder)

func serve(_ number: Int) {
  let request = tracer.startSpan("GET /photo")
  ServiceContext.withValue(request.context) {
    let fetch = TracedBlockOperation(name: "fetch") { usleep(1000) }
    let decode = TracedBlockOperation(name: "decode") { usleep(500) }
    let check = BlockOperation { usleep(200) }
    check.name = "check"
    let publish = TracedBlockOperation(name: "publish") { request.end() }
    decode.addDependency(fetch)
    publish.addDependency(decode)
    publish.addDependency(check)
    network.addOperation(fetch)
    decoding.addOperations([decode, check], waitUntilFinished: false)
    for _ in 0..<4 { tiles.addOperation { usleep(100) } }
    publishing.addOperation(publish)
  }
}

// All requests come before the first is served: every fetch but four waits for a place.
network.isSuspended = true
for number in 0..<50 { serve(number) }
guard
  Sockets.serve(
    port: metricsPort,
    {
      metrics.refresh(); return scraped.text
    })
else {
  print("the port \(metricsPort) is taken")
  exit(1)
}
network.isSuspended = false
for queue in [network, decoding, tiles, publishing] { queue.waitUntilAllOperationsAreFinished() }
let isSent = tracer.send()
print(isSent ? "served" : "the collector does not answer")
fflush(nil)
while readLine() != nil {}
try recorder.stop()
try? FileManager.default.removeItem(at: trace)
exit(isSent ? 0 : 1)
