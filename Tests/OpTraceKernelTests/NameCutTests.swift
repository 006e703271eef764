import Testing

@testable import OpTraceKernel

/// `names.test.mjs` has the same examples for the page and the pictures.
@Suite struct NameCutTests {
  @Test(arguments: [
    (
      "closure #1 in static Epoll.wait(_:for:)", ["closure #1 in static Epoll.wait(…)", "Epoll.wait(…)", "wait(…)"]
    ),
    (
      "implicit closure #2 in closure #1 in load(_:)",
      ["implicit closure #2 in closure #1 in load(…)", "load(…)"]
    ),
    ("load(_:)", ["load(…)"]), ("load()", []), ("a name (see:this)", []), ("(_:)", []), ("x(y z:)", []), ("", []),
  ])
  func aFunctionLosesLabelsThenTheFunctionOfItsClosureThenItsType(name: String, forms: [String]) {
    #expect(NameCut.brieferForms(of: name) == forms)
  }

  @Test(arguments: [
    (100, "closure #1 in static Epoll.wait(_:for:)"), (20, "Epoll.wait(…)"), (8, "wait(…)"), (5, "wait"),
  ])
  func theLongestFormThatFitsIsTaken(most: Int, cut: String) {
    #expect(NameCut.inside("closure #1 in static Epoll.wait(_:for:)", most) == cut)
  }

  @Test func otherNamesKeepBothEnds() {
    #expect(NameCut.inside("image.resize.large", 12) == "image….large")
    #expect(NameCut.inside("image.resize.large", 13) == "image.….large")
  }
}
