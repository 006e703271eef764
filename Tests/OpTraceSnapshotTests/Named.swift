#if os(Linux)
  import OpTraceAnalysis
  import OpTraceDoctor
  import OpTraceModel
  import OpTraceSymbols

  @testable import OpTraceSnapshot

  extension Snapshot {
    /// As the command reads a snapshot: with the names of its code.
    var trace: Trace {
      var trace = TraceBuilder.build(events)
      let images = trace.stacks.images.sorted { $0.key < $1.key }
      let modules = images.map { CodeModule(path: $0.value.path, buildID: $0.value.buildID.flatMap(Self.bytes)) }
      var frames: [FrameID] = []
      var addresses: [CodeAddress] = []
      for (frame, address) in trace.stacks.addresses {
        guard let module = images.firstIndex(where: { $0.key == address.image }) else { continue }
        frames.append(frame)
        addresses.append(CodeAddress(module: module, offset: address.offset, isReturnAddress: address.returns))
      }
      var options = Symbolicator.Options()
      options.inlining = Symbolicator.Inlining()
      let found = Symbolicator(options: options).symbolicate(addresses, in: modules).frames
      trace.name(
        zip(frames, zip(addresses, found)).map { frame, named in
          let image = images[named.0.module].value.name
          return (
            frame,
            named.1.map { symbol in
              SymbolRecord(
                function: symbol.function.full, shortName: symbol.function.short,
                module: symbol.function.module ?? image, file: symbol.file, line: symbol.line)
            }
          )
        })
      return trace
    }

    var report: DoctorReport { DoctorReport(of: .init(trace), stallAfter: 0) }

    private static func bytes(_ text: String) -> [UInt8] {
      let digits = text.compactMap(\.hexDigitValue)
      return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
  }
#endif
