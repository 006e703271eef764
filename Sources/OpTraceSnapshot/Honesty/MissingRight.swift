import Foundation
import OpTraceSymbols

/// Why the memory of a process may not be read, and what to do.
package struct MissingRight: Hashable, Sendable {
  package var isRoot: Bool
  /// The process is one of this user's.
  package var isOwn: Bool
  /// This program may trace processes of others, and those that Yama protects.
  package var mayTrace: Bool
  package var isInContainer: Bool
  /// The value of `kernel.yama.ptrace_scope`; nil: there is none.
  package var yama: Int?

  package init(isRoot: Bool, isOwn: Bool, mayTrace: Bool, isInContainer: Bool, yama: Int?) {
    (self.isRoot, self.isOwn, self.mayTrace) = (isRoot, isOwn, mayTrace)
    (self.isInContainer, self.yama) = (isInContainer, yama)
  }

  /// As it is now.
  package init(for processID: UInt32) {
    func text(_ path: String) -> String? { (try? SystemFile.text(path)).flatMap(\.self) }
    var status = stat()
    let isOwn = stat("/proc/\(processID)", &status) == 0 && status.st_uid == geteuid()
    let rights = text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let bits = rights.flatMap { UInt64($0.split(whereSeparator: \.isWhitespace).last ?? "", radix: 16) } ?? 0
    let marks = ["/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io"]
    self.init(
      isRoot: geteuid() == 0, isOwn: isOwn, mayTrace: bits >> Self.traces & 1 == 1,
      isInContainer: marks.contains { access($0, F_OK) == 0 },
      yama: text("/proc/sys/kernel/yama/ptrace_scope").flatMap { Int($0.prefix { $0.isNumber }) })
  }

  /// The number of CAP_SYS_PTRACE.
  private static let traces: UInt64 = 19

  /// What to do, without a full stop.
  package var remedy: String {
    if yama == 3 { return "kernel.yama.ptrace_scope is 3, so nobody may until this machine is started again" }
    let container =
      "in Docker '--cap-add SYS_PTRACE', in Kubernetes 'securityContext: {capabilities: {add: [SYS_PTRACE]}}'"
    if isRoot {
      return mayTrace
        ? "the system refuses it to root, too, as SELinux or AppArmor may"
        : "root has no right to trace here: \(container)"
    }
    let asRoot = isInContainer ? "as root with the right to trace: \(container)" : "as root"
    guard isOwn else { return "run optrace as the user of the process, or \(asRoot)" }
    guard let yama, yama > 0, !isInContainer else { return "run optrace \(asRoot)" }
    return "run optrace as root, or allow it with 'sysctl kernel.yama.ptrace_scope=0'"
  }
}
