package import OpTraceText

/// The message that Pyroscope takes at `/push.v1.PusherService/Push`: a pprof file with the labels of its series.
/// Source: <https://grafana.com/docs/pyroscope/latest/reference-server-api/>.
package enum PyroscopePush {
  /// The file that goes into the message, yet to be packed with gzip. Pyroscope makes a series of each combination of
  /// labels, so threads are left out. It looks at `span_id` by itself. O(sums + stacks × depth).
  package static func writeProfile(_ window: WindowProfile, of process: PushedProcess, to writer: ByteWriter) {
    PprofExporter.write(window, startWall: process.startWall, to: writer)
  }

  /// - Parameter file: what ``writeProfile(_:of:to:)`` wrote, packed.
  package static func message(_ file: [UInt8], _ window: WindowProfile, of process: PushedProcess) -> [UInt8] {
    var message = ProtobufMessage()
    message.message(1) { series in
      for (name, value) in [
        ("__name__", "process_cpu"), ("__delta__", "false"), ("service_name", process.serviceName),
        ("pyroscope_spy", "optrace"),
      ] {
        series.message(1) {
          $0.text(1, name)
          $0.text(2, value)
        }
      }
      series.message(2) {
        $0.bytes(1, file)
        $0.text(2, uuid(process.id(of: window)))
      }
    }
    return message.bytes
  }

  private static func uuid(_ bytes: [UInt8]) -> String {
    let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}
