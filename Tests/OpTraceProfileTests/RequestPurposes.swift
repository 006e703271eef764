import OpTraceModel
import OpTraceProfile
import OpTraceRequests

extension ProfileWindows {
  /// Samples have the request that they were for.
  init(every length: Nanoseconds, from origin: Nanoseconds) {
    self.init(every: length, from: origin) { RequestPurposes(of: $0) }
  }
}

private struct RequestPurposes: WorkPurposes {
  private let moments: RequestMoments

  init(of trace: Trace) { moments = RequestMoments(Requests(of: trace, depth: .figures), trace) }

  func request(of work: WorkID, at time: Nanoseconds) -> String? { moments.kind(of: work, at: time)?.name }

  func context(of work: WorkID, at time: Nanoseconds) -> SpanRecord.Context? { moments.context(of: work, at: time) }
}
