#if os(Linux)
  import Testing

  @testable import OpTraceSnapshot

  @Suite("What to do where a process may not be read") struct MissingRightTests {
    @Test(arguments: [
      (false, false, false, nil, "run optrace as the user of the process, or as root"),
      (false, true, false, 1, "run optrace as root, or allow it with 'sysctl kernel.yama.ptrace_scope=0'"),
      (false, true, false, nil, "run optrace as root"),
      (true, true, true, 3, "kernel.yama.ptrace_scope is 3, so nobody may until this machine is started again"),
      (true, false, true, 1, "the system refuses it to root, too, as SELinux or AppArmor may"),
    ])
    func outside(isRoot: Bool, isOwn: Bool, mayTrace: Bool, yama: Int?, remedy: String) {
      let right = MissingRight(
        isRoot: isRoot, isOwn: isOwn, mayTrace: mayTrace, isInContainer: false, yama: yama)
      #expect(right.remedy == remedy)
    }

    @Test("in a container, the lines for Docker and Kubernetes are named", arguments: [true, false])
    func container(isRoot: Bool) {
      let right = MissingRight(isRoot: isRoot, isOwn: true, mayTrace: false, isInContainer: true, yama: 1)
      #expect(right.remedy.contains("in Docker '--cap-add SYS_PTRACE'"))
      #expect(right.remedy.contains("in Kubernetes 'securityContext: {capabilities: {add: [SYS_PTRACE]}}'"))
    }
  }

  @Suite("What is left out") struct LeftOutTests {
    @Test("what does not fit together in one of two looks only changed; what is missing stays missing") func looks() {
      let first: Set<LeftOut> = [.queueList(address: 1), .task(address: 2), .dispatch]
      let second: Set<LeftOut> = [.queueList(address: 1), .queueCount(address: 3), .file(path: "/a", buildID: "")]
      #expect(
        first.standing(with: second) == [.queueList(address: 1), .dispatch, .file(path: "/a", buildID: "")])
    }
  }
#endif
