internal import COpTrace

/// The version of this package, which is written in `COpTraceVersion.h` only.
public enum OpTraceVersion {
  /// Three numbers: `optrace --version` prints them, and every trace names the version that wrote it.
  public static let current: String = OPTRACE_VERSION
}
