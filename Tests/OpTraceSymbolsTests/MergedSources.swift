extension Programs {
  /// Functions that are equal, or differ only in constants.
  static let mergedSource = """
    @inline(never) public func blocker(_ i: Int) { if i > 1_000_000 { print(i) } }
    @inline(never) public func keep(_ text: String, _ i: Int) { if i > 1_000_000 { print(text) } }
    @inline(never) public func loadUsers(_ i: Int) -> Int { blocker(i); blocker(i &+ 1); return i &* 3 }
    @inline(never) public func loadPosts(_ i: Int) -> Int { blocker(i); blocker(i &+ 1); return i &* 3 }
    @inline(never) public func first(_ i: Int) {
      blocker(i); keep("first thing", i); blocker(i &+ 3); keep("first other", i); blocker(i &* 3)
    }
    @inline(never) public func second(_ i: Int) {
      blocker(i); keep("second thing", i); blocker(i &+ 3); keep("second other", i); blocker(i &* 3)
    }
    @inline(never) public func plain(_ i: Int) -> Int { blocker(i); blocker(i); return i &* 5 }
    @inline(never) public func wrapper(_ i: Int) -> Int { plain(i) }
    let table1 = ["a": CommandLine.arguments.count]
    let table2 = ["b": CommandLine.arguments.count]
    @inline(never) func sleepA(_ i: Int) async -> Int {
      blocker(i); await Task.yield(); blocker(i &+ 1); await Task.yield(); return i &+ 1
    }
    @inline(never) func sleepB(_ i: Int) async -> Int {
      blocker(i); await Task.yield(); blocker(i &+ 1); await Task.yield(); return i &+ 1
    }
    @main struct Main {
      static func main() async {
        let n = CommandLine.arguments.count
        first(n)
        second(n)
        print(loadUsers(n), loadPosts(n), plain(n), wrapper(n), table1, table2, await sleepA(n), await sleepB(n))
      }
    }
    """

  /// Such functions after merging, in assembly, independent of versions of compilers and linkers.
  static let sharedSource = #"""
    #define NAME(name) __asm__(name)
    #ifdef __aarch64__
    #define JUMP "b"
    #define FRAME "stp x29, x30, [sp, #-16]!\nmov x29, sp\nldp x29, x30, [sp], #16"
    #else
    #define JUMP "jmp"
    #define FRAME "push %rbp\nmov %rsp, %rbp\npop %rbp"
    #endif
    /* A function that ends with a jump, and has no line. */
    #define JUMPS(name, before, target)                                     \
      __asm__(".text\n.globl \"" name "\"\n.type \"" name "\", %function\n" \
              "\"" name "\":\n" before "\n" JUMP " \"" target "\"\n"        \
              ".size \"" name "\", . - \"" name "\"\n")
    #define FUNCTION(number, name) \
      __attribute__((noinline)) int f##number(int value) NAME(name); \
      int f##number(int value) { sink = value; return value + number; }
    #define ALSO(number, name, other) int g##number(int) NAME(name) __attribute__((alias(other)))

    volatile int sink;
    FUNCTION(1, "$s3app4loadyS2iF")
    ALSO(1, "$s3app5storeyS2iF", "$s3app4loadyS2iF");
    ALSO(2, "$s3app5storeyS2iFTY0_", "$s3app4loadyS2iF");
    JUMPS("$s3app4readyS2iF", "", "$s3app4loadyS2iF");
    JUMPS("$s3app5writeyS2iF", FRAME, "$s3app4loadyS2iF");
    /* It does something before. */
    JUMPS("$s3app5eraseyS2iF", "nop", "$s3app4loadyS2iF");
    /* People wrote it. */
    int wrapper(int) NAME("$s3app7wrapperyS2iF");
    int wrapper(int value) { return f1(value); }

    FUNCTION(2, "$s3app3runyS2iFTm")
    JUMPS("$s3app3runyS2iF", "nop", "$s3app3runyS2iFTm");
    JUMPS("$s3app4walkyS2iF", "nop", "$s3app3runyS2iFTm");

    FUNCTION(3, "$s3app5beginyS2iFTm")
    JUMPS("$s3app5beginyS2iF", "nop", "$s3app5beginyS2iFTm");
    JUMPS("$s3app3endyS2iF", "nop", "$s3app5beginyS2iFTm");

    FUNCTION(4, "$s3app5aloneyS2iFTm")
    JUMPS("$s3app5aloneyS2iF", "nop", "$s3app5aloneyS2iFTm");

    FUNCTION(5, "$s3app3BoxVwca")
    ALSO(5, "$s3app3BagVwca", "$s3app3BoxVwca");

    FUNCTION(6, "_swift_dead_method_stub")
    ALSO(6, "$s3app4UserC3newyyF", "_swift_dead_method_stub");
    ALSO(7, "$s3app4UserC3oldyyF", "_swift_dead_method_stub");

    FUNCTION(7, "__read")
    ALSO(8, "read", "__read");
    FUNCTION(8, "_ZN3FooC2Ev")
    ALSO(9, "_ZN3FooC1Ev", "_ZN3FooC2Ev");

    /* One that is gone may have been called here. */
    void first(void) { sink = f3(sink) + f1(2); }
    """#
}
