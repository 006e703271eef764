import ArgumentParser
import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText
import OpTraceTimeline

/// The options that choose a part of a profile: those of a timeline, and one that follows what work submitted.
struct ProfilePart: ParsableArguments {
  @OptionGroup var part: TimelinePart

  @Option(
    help: ArgumentHelp(
      "Only this operation, block or task (a name, or a number as '#5') with all that it submitted, or this test or named "
        + "piece of work.",
      valueName: "name"))
  var within: String?

  /// Whether any option leaves something out.
  var isPart: Bool {
    within != nil || part.from != nil || part.to != nil || part.around != nil || !part.queue.isEmpty
      || !part.classes.isEmpty || part.minDuration != nil
  }

  /// The chosen part of the profile. `name` is the name of the trace in errors.
  func selection(in trace: Trace, named name: String) throws -> Profile.Selection {
    let timeline = try part.selection(in: trace, named: name)
    var selection = Profile.Selection()
    selection.from = timeline.from
    selection.to = timeline.to
    selection.queues = timeline.queues
    selection.classes = timeline.classes
    selection.minimumDuration = timeline.minimumDuration
    selection.always = timeline.always
    guard let within else { return selection }
    let spans = trace.spans.filter { $0.name == within }.map(\.id)
    if !spans.isEmpty { selection.spans = Set(spans) }
    do {
      selection.works = Profile.Selection.trees(of: try OperationLookup.findWork(within, in: trace), in: trace)
    } catch {
      if spans.isEmpty { throw Failure.usage(error.message(in: name)) }
    }
    return selection
  }
}
