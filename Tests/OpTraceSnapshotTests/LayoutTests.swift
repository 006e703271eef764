#if os(Linux)
  import COpTrace
  import Foundation
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  @Suite("Layouts in a process", .ownThread) struct LayoutTests {
    private let hung: HungProgram
    private let view: MemoryView
    private let modules: [Module]

    init() throws {
      hung = try HungProgram("two-locks", threads: 3)
      view = MemoryView(try LiveMemory(hung.id))
      modules = try Module.all(in: view.memory)
    }

    @Test("modules are the program and its libraries, at their addresses") func moduleList() throws {
      let names = modules.map { String($0.name) }
      for name in ["HangingProgram", "libFoundation.so", "libdispatch.so", "libswiftCore.so", "libc.so.6", "[vdso]"] {
        #expect(names.count { $0 == name } == 1, "\(name)")
      }
      // Each thread sleeps in the C library's code.
      let system = try #require(modules.first { $0.name == "libc.so.6" })
      for thread in try view.memory.threads() {
        let pc = try #require(thread.registers?.pc)
        #expect(modules.containing(pc)?.low == system.low && system.hasCode(at: pc))
      }
      #expect(modules.allSatisfy { $0.path == "[vdso]" || $0.file != nil })
    }

    /// The recorder's reader, in this process, which has the same Foundation.
    private func offset(_ name: String, in type: AnyClass) -> UInt64 {
      UInt64(optrace_class_field(unsafeBitCast(type, to: UnsafeRawPointer.self), name))
    }

    @Test("fields of Foundation's classes are found by their names") func fields() throws {
      let classes = try SwiftClasses(modules, view)
      #expect(classes.modulesWithoutFile.isEmpty)
      let expected: [(AnyClass, String, [String])] = [
        (
          Operation.self, "Operation",
          ["__state", "__queue", "__dependencies", "__unfinishedDependencyCount", "__isCancelled"]
        ), (OperationQueue.self, "OperationQueue", ["__firstOperation", "__suspended", "__mainQ", "__name"]),
        (BlockOperation.self, "BlockOperation", ["_block"]),
      ]
      for row in expected {
        let (type, name, fields): (AnyClass, String, [String]) = row
        let found = try #require(classes.named(name, module: "Foundation"), "\(name)")
        #expect(found.instanceSize > 16)
        for field in fields { #expect(found.fields[field] == offset(field, in: type), "\(name).\(field)") }
      }
    }

    @Test("subclasses are known by their superclasses, and by the names of the types around them") func inheritance()
      throws
    {
      let classes = try SwiftClasses(modules, view)
      let operation = try #require(classes.named("Operation", module: "Foundation"))
      let block = try #require(classes.named("BlockOperation", module: "Foundation"))
      #expect(classes.inherits(block.metadata, from: operation) && !classes.inherits(operation.metadata, from: block))
      #expect(classes.named("Cache", module: "HangingProgram")?.superclass == nil)
      #expect(classes.named("Settings", module: "HangingProgram")?.fields["lock"] == 16)
      #expect(!classes.inherits(1, from: operation))
    }

    @Test("libdispatch's tables are found without symbols, where its symbols say they are") func tables() throws {
      let layout = try DispatchLayout(modules, view)
      #expect(layout.isKnown && layout.kinds.count == 10)
      let library = try #require(layout.module)
      let image = try ElfImage(path: try #require(library.file).path)
      for (address, kind) in layout.kinds {
        let symbol = "__OS_dispatch_\(kind.rawValue)_vtable"
        if let known = NamedSymbols([symbol], in: image)[symbol] {
          #expect(known &+ library.bias == address, "\(symbol)")
        }
      }
    }

    @Test("a process without Swift's concurrency has no tasks, and one with it tells its version") func tasks() throws {
      #expect(throws: TaskLayout.Trouble.noRuntime) { try TaskLayout([], view) }
      let layout = try TaskLayout(modules, view)
      #expect(layout.size == 208 && layout.offsets.dependency == 0xA0)
      let adapters = layout.adapters
      #expect(adapters.count == 2 && adapters.allSatisfy { layout.module.hasCode(at: $0) })
      #expect(layout.module.contains(layout.metadata))
    }
  }

  @Suite("Reading what may be wrong") struct ViewTests {
    @Test("values that cross pages are whole, and those that end outside are none") func pages() {
      var memory = MadeMemory()
      memory.add(0x1000, (0..<8192).map { UInt8(truncatingIfNeeded: $0) })
      let view = MemoryView(memory)
      #expect(view.word(at: 0x1FFC) == 0x0302_0100_FFFE_FDFC)
      #expect(view.word(at: 0x2FF8) == 0xFFFE_FDFC_FBFA_F9F8 && view.word(at: 0x2FF9) == nil)
      #expect(view.half(at: 0x1000) == 0x0302_0100 && view.byte(at: 0xFFF) == nil && view.word(at: .max - 3) == nil)
      #expect(view.bytes(at: 0x2FFF, count: 1) == [255] && view.bytes(at: 0x2FFF, count: 2) == nil)
      #expect(view.bytes(at: 0x1000, count: -1) == nil && view.trouble == nil)
    }

    @Test("texts end with a zero, within their limit") func texts() {
      var memory = MadeMemory()
      memory.add(0x1000, Array("short\0".utf8) + [0xFF, 0xFE, 0] + [UInt8](repeating: 65, count: 5000) + [0])
      let view = MemoryView(memory)
      #expect(view.text(at: 0x1000) == "short" && view.text(at: 0x1005) == "")
      #expect(view.text(at: 0x1006) == nil && view.text(at: 0x1009) == nil && view.text(at: 0x9000) == nil)
      #expect(view.text(at: 0x1009, limit: 6000)?.utf8.count == 5000)
    }

    @Test("distances lead from their own addresses, directly or by way of an address") func distances() {
      var memory = MadeMemory()
      memory.add(0x1000, little(16, UInt64(UInt32(bitPattern: -4)), 13, 0, bytes: 4) + little(0x4000))
      let view = MemoryView(memory)
      #expect(view.relative(at: 0x1000) == 0x1010 && view.relative(at: 0x1004) == 0x1000)
      #expect(view.relativeOrIndirect(at: 0x1000) == 0x1010 && view.relative(at: 0x100C) == nil)
      #expect(view.relativeOrIndirect(at: 0x1008) == view.word(at: 0x1014) && view.pointer(at: 0x1010) == 0x4000)
    }
  }
#endif
