/// A file of code in a process: the program or a shared library.
package struct CodeModule: Hashable, Sendable {
  /// As the process knew it, from the root. Linux puts " (deleted)" behind the path of a file that is gone.
  package var path: String
  /// Of the linker; nil: it was not recorded, or there was none.
  package var buildID: [UInt8]?

  package init(path: String, buildID: [UInt8]? = nil) {
    self.path = path
    self.buildID = buildID
  }
}

/// An address in a module's code.
package struct CodeAddress: Hashable, Sendable {
  /// Its index in the list of modules.
  package var module: Int
  /// From where the module was loaded (`dlpi_addr` of `dl_iterate_phdr`), in bytes: the address as the file's own tables
  /// give it.
  package var offset: UInt64
  /// True for all frames of a stack but the innermost. Such an address is after its call, maybe in another line or function
  /// already: it is the byte before it that is looked up.
  package var isReturnAddress: Bool

  package init(module: Int, offset: UInt64, isReturnAddress: Bool = true) {
    self.module = module
    self.offset = offset
    self.isReturnAddress = isReturnAddress
  }
}

/// What is known of an address: a function of the source, and a line in it.
package struct SymbolFrame: Hashable, Sendable {
  /// The function's name, in the form for people and in full.
  package var function: FunctionName
  /// From the root, where that is known; nil: there is no line table for it.
  package var file: String?
  /// From 1; nil: not known, or code that the compiler made up.
  package var line: Int?
  /// From 1; nil: not known.
  package var column: Int?
  /// The compiler put the function into the one of the next frame.
  package var isInlined: Bool

  package init(
    function: FunctionName, file: String? = nil, line: Int? = nil, column: Int? = nil, isInlined: Bool = false
  ) {
    self.function = function
    self.file = file
    self.line = line
    self.column = column
    self.isInlined = isInlined
  }
}

/// The result for one module.
package struct ModuleSymbols: Hashable, Sendable {
  package var module: CodeModule
  /// Where names and lines were found, besides the module itself.
  package var debugFile: String?
  /// How many different addresses were asked for, and of how many the function and the line are known.
  package var addresses = 0
  package var named = 0
  package var withLine = 0
  /// What is missing, and why.
  package var troubles: [SymbolTrouble] = []

  package init(module: CodeModule) { self.module = module }
}

/// Names and lines of a list of addresses.
package struct Symbolication: Hashable, Sendable {
  /// For each address, in the order of the question: the innermost function first; those that were inlined come before the one
  /// that they were put into. Empty: nothing is known.
  package var frames: [[SymbolFrame]]
  /// In the order of the question.
  package var modules: [ModuleSymbols]
  /// Whether inlined functions were found.
  package var inlining: InliningOutcome

  package init(frames: [[SymbolFrame]], modules: [ModuleSymbols], inlining: InliningOutcome = .notAsked) {
    self.frames = frames
    self.modules = modules
    self.inlining = inlining
  }
}
