/// The version of this package, written here only. The headings of `CHANGELOG.md` and of `debian/changelog` must match
/// it; `ReleaseTests` checks that.
public enum OpTraceVersion {
  /// Three numbers: `optrace --version` prints them, and every trace names the version that wrote it.
  public static let current = "0.2.0"
}
