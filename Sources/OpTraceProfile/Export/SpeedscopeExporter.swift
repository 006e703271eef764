import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
package import OpTraceText

/// Writes a profile for speedscope.app, which also reads it from a file without a network.
///
/// A profile for each thread, by use, the one that used most first; each sample is a list of functions, the outermost first, with its
/// nanoseconds. Functions are the frames, since the sandwich view adds up by frame. Source of the format:
/// <https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts>.
package struct SpeedscopeExporter {
  private let profile: Profile
  private let writer: ByteWriter
  /// The lists of all stacks, `1,2,3`, one behind another, …
  private var lists: [UInt8] = []
  /// … and where each begins.
  private var starts: [Int] = [0]

  /// O(samples × depth). Samples of the same stack that follow each other on a thread are one.
  package static func write(_ profile: Profile, to writer: ByteWriter) {
    var exporter = Self(profile, writer)
    exporter.write()
  }

  private init(_ profile: Profile, _ writer: ByteWriter) {
    self.profile = profile
    self.writer = writer
    let (kernel, callersUnknown, unknown) = (
      profile.functions.count, profile.functions.count + 1, profile.functions.count + 2
    )
    for stack in profile.stacks {
      var frames: [Int] = stack.isCut ? [callersUnknown] : []
      for frame in stack.frames {
        let function = profile.frames.indices.contains(frame) ? profile.frames[frame].function : -1
        frames.append(profile.functions.indices.contains(function) ? function : unknown)
      }
      lists.append(contentsOf: frames.map(String.init).joined(separator: ",").utf8)
      starts.append(lists.count)
    }
    self.kernel = kernel
    self.unknown = unknown
  }

  private let kernel: Int
  private let unknown: Int

  private mutating func write() {
    writer.text("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",")
    writer.text("\"exporter\":\"optrace\",\"name\":")
    writer.json(ProfileWords.name(profile.processName))
    writer.text(",\"activeProfileIndex\":0,\"shared\":{\"frames\":[")
    for (index, function) in profile.functions.enumerated() {
      writer.text(index == 0 ? "\n" : ",\n")
      writer.text("{\"name\":")
      writer.json(ProfileWords.function(profile, index))
      if let file = function.file {
        writer.text(",\"file\":")
        writer.json(file)
      }
      if let line = function.line {
        writer.text(",\"line\":")
        writer.number(line)
      }
      writer.byte(UInt8(ascii: "}"))
    }
    for (index, name) in [ProfileWords.kernel, ProfileWords.callersUnknown, ProfileWords.unknown].enumerated() {
      writer.text(index == 0 && profile.functions.isEmpty ? "\n" : ",\n")
      writer.text("{\"name\":")
      writer.json(name)
      writer.byte(UInt8(ascii: "}"))
    }
    writer.text("\n]},\"profiles\":[")
    for (index, thread) in ThreadSamples.all(of: profile).enumerated() {
      writer.text(index == 0 ? "\n" : ",\n")
      write(thread)
    }
    writer.text("\n]}\n")
  }

  private func write(_ thread: ThreadSamples) {
    writer.text("{\"type\":\"sampled\",\"unit\":")
    writer.text(profile.unit == .time ? "\"nanoseconds\"" : "\"bytes\"")
    writer.text(",\"startValue\":0,\"endValue\":")
    writer.number(Int(thread.weight))
    writer.text(",\"name\":")
    writer.json(thread.label)
    writer.text(",\"samples\":[")
    var weights: [Int64] = []
    var last: (stack: Int, isInKernel: Bool)?
    for index in thread.samples {
      let sample = profile.samples[index]
      if let last, last == (sample.stack, sample.isInKernel) {
        weights[weights.count - 1] = weights[weights.count - 1].adding(sample.weight)
        continue
      }
      if last != nil { writer.byte(UInt8(ascii: ",")) }
      last = (sample.stack, sample.isInKernel)
      weights.append(max(0, sample.weight))
      writeStack(sample)
    }
    writer.text("],\"weights\":[")
    for (index, weight) in weights.enumerated() {
      if index > 0 { writer.byte(UInt8(ascii: ",")) }
      writer.number(Int(weight))
    }
    writer.text("]}")
  }

  private func writeStack(_ sample: Profile.Sample) {
    writer.byte(UInt8(ascii: "["))
    var isEmpty = false
    if profile.stacks.indices.contains(sample.stack) {
      let range = starts[sample.stack]..<starts[sample.stack + 1]
      isEmpty = range.isEmpty
      lists.withUnsafeBytes { writer.bytes(UnsafeRawBufferPointer(rebasing: $0[range])) }
    } else {
      writer.number(unknown)
    }
    if sample.isInKernel {
      if !isEmpty { writer.byte(UInt8(ascii: ",")) }
      writer.number(kernel)
    }
    writer.byte(UInt8(ascii: "]"))
  }
}
