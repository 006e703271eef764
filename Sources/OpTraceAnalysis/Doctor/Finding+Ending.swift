import OpTraceModel

/// Says who could end what is stuck: the last part of the doctor's answer.
extension Finding {
  /// One sentence with its full stop; empty if there is nothing to say, as for findings about slowness or misuse.
  public var ending: String {
    guard isStuck, severity != .note else { return "" }
    switch code {
    case _ where Diagnosis.deadlocks.contains(code):
      return severity == .error ? "Nothing can end it." : "Only something outside of this cycle can end it."
    case "queue-suspended" where variant == 2: return "Only resume() or activate() ends it."
    case "queue-suspended": return variant == 0 ? "Only isSuspended = false ends it." : "Only another limit ends it."
    case "orphan-dependency": return "Only adding it to a queue ends it."
    case "continuation-never-resumed":
      if variant == 2 { return "Only its executor can run it." }
      return variant == 1 ? "Only yield() or finish() ends it." : "Only resume() ends it."
    case "never-signalled" where variant == DoctorContext.itselfVariant: return "Only this process can end it."
    case "never-signalled" where variant == DoctorContext.readersVariant: return "Only unlocking ends it."
    case "never-signalled": return variant == 1 ? "Only leave() ends it." : "Only a signal ends it."
    case "never-finished": return endingOfNeverFinished
    case "cancelled-never-finished", "readiness-override", "removed-dependency-stuck":
      return "Only the operation itself can end it."
    case _ where isLostStart: return "Only another change of its queue ends it."
    case "thread-pool-starvation": return variant == 1 ? "" : "Only the end of one of these waits gives a thread back."
    default: return ""
    }
  }

  private var endingOfNeverFinished: String {
    switch variant {
    case 0: "Only the notification that isFinished has changed ends it."
    case 1: "Only a signal ends it."
    case DoctorContext.groupVariant: "Only leave() ends it."
    case 3: "Only another thread could wake it, and each of them waits, too."
    case 4: "Nobody can unlock it any more."
    default: "Only isFinished = true, with its notification, ends it."
    }
  }
}
