/// The version of this package, here alone. The headings of `CHANGELOG.md` and of `debian/changelog` follow; `ReleaseTests`
/// says when they do not.
public enum OpTraceVersion {
  /// Of three numbers: `optrace --version` prints it, and every trace names the one that wrote it.
  public static let current = "0.2.0"
}
