extension TraceRecorder {
  /// How a recorder keeps what it records.
  public struct Configuration: Sendable, Equatable {
    public enum Mode: Sendable, Equatable {
      /// The file grows with what happens.
      case streaming
      /// A ring of so many bytes: the newest events survive, together with all that belongs to operations which are
      /// not over. Less than ``Configuration/smallestCapacity`` is raised to it.
      case flightRecorder(capacity: Int)
    }

    public enum Clock: Sendable, Equatable {
      /// The processor's counter where it runs evenly on all cores, else the monotonic clock.
      case automatic
      /// As automatic: there is nothing else to fall back to.
      case counter
      /// The system's monotonic clock: slower by some ten nanoseconds an event.
      case monotonic
    }

    public var mode: Mode
    /// The most bytes that a streaming trace may take; nil for no limit. Beyond it events are counted as lost.
    public var sizeLimit: Int?
    public var clock: Clock

    public init(mode: Mode = .streaming, sizeLimit: Int? = nil, clock: Clock = .automatic) {
      self.mode = mode
      self.sizeLimit = sizeLimit
      self.clock = clock
    }

    public static let streaming = Configuration()

    public static func flightRecorder(capacity: Int) -> Configuration {
      Configuration(mode: .flightRecorder(capacity: capacity))
    }

    /// A ring below 256 KiB would hold little but names and threads.
    public static let smallestCapacity = 256 * 1024
  }
}
