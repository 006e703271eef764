import TestSupport
import Testing

@testable import OpTraceSymbols

/// Mangled names from compilers. The Swift names are from one program, compiled with and without optimisation.
@Suite struct NameTests {
  @Test(arguments: ofTheSource) func namesOfSourceFunctionsAreShortened(_ mangled: String, _ short: String) {
    let name = FunctionName(mangled: mangled)
    #expect(name.short == short, "\(name.full)")
    #expect(name.mangled == mangled)
  }

  @Test(arguments: ofTheCompiler) func namesOfCompilerMadeFunctionsAreShortened(_ mangled: String, _ short: String) {
    let name = FunctionName(mangled: mangled)
    #expect(name.short == short, "\(name.full)")
  }

  @Test func fullNameHasEverything() {
    let name = FunctionName(mangled: "$s3app9loadUsersy10Foundation9OperationCSiFyyYbcfU_TA")
    let closure = "closure #1 @Sendable () -> () in app.loadUsers(Swift.Int) -> Foundation.Operation"
    #expect(name.full == "partial apply forwarder for \(closure)")
  }

  @Test func codeOfSeveralFunctionsNamesUpToThree() {
    func name(_ mangled: [String], isOpen: Bool = false) -> String? {
      FunctionName("$s3app", oneOf: mangled.map { FunctionName(mangled: $0) }, isOpen: isOpen)?.short
    }
    let functions = [
      "$s3app4loadyS2iF", "$s3app5storeyS2iF", "$s3app4readyS2iF", "$s3app5writeyS2iF", "$s3app5eraseyS2iF",
    ]
    #expect(name(Array(functions.prefix(2))) == "one of load(_:), store(_:)")
    #expect(name(Array(functions.prefix(2)).reversed()) == "one of load(_:), store(_:)")
    #expect(name(Array(functions.prefix(2)), isOpen: true) == "one of load(_:), store(_:) (or one merged with them)")
    #expect(name(Array(functions.prefix(3))) == "one of load(_:), read(_:), store(_:)")
    #expect(name(functions) == "one of erase(_:), load(_:), read(_:) and 2 more")
    // All have one short name: parts and copies of one function, or a thunk that calls it.
    #expect(name([]) == nil && name([functions[0]]) == nil)
    #expect(name(["$s3app6LoaderC5other_2byS2i_SitYaKFTY1_", "$s3app6LoaderC5other_2byS2i_SitYaKFTQ0_"]) == nil)
    #expect(name(["$s3app6LoaderC3runyS2iYaKF", "$s3app6LoaderCAA6RunnerA2aDP3runyS2iYaKFTW"]) == nil)
    // Functions that the compiler makes for each type.
    #expect(name(["$s3app3BoxVMa", "$sSS3appE4PartVMa"]) == "type metadata accessor")
    #expect(name(["$s3app3BoxVwca", "$s3app3BoxVwcp"]) == "value witness")
    #expect(name(["$s3app3BoxVMa", "$s3app4loadyS2iF"]) == "one of load(_:), type metadata accessor")
    let modules = [["$s3app4loadyS2iF", "$s3app5storeyS2iF"], ["$s3app4loadyS2iF", "$s3lib5storeyS2iF"]]
    #expect(
      modules.map { FunctionName("$s3app4loadyS2iF", oneOf: $0.map { .init(mangled: $0) }, isOpen: false)?.module }
        == ["app", nil])
  }

  /// Names that no compiler makes, including names that are too long to be read.
  @Test func nonsenseIsKept() {
    for name in ["", "@", ".", "$s", "_Z", "a b", "\u{1F600}", String(repeating: "(", count: 5000)] {
      #expect(FunctionName(mangled: name).full == name)
    }
    let long = "$s" + String(repeating: "3abc", count: 100_000)
    #expect(FunctionName(mangled: long).short == long)
  }

  /// Swift's runtime aborts the process for some of these names.
  @Test(.ownThread) func damagedNamesDoNoHarm() {
    var known: [String: FunctionName] = [:]
    let whole = (ofTheSource + ofTheCompiler).map(\.0)
    let cut = whole.flatMap { name in (0..<name.count).map { String(name.prefix($0)) } }
    FunctionName.learn(cut, &known)
    #expect(known.count == Set(cut).count)
  }

  /// The names before and after a name that ends the child process are known.
  @Test(.ownThread) func onlyTheDamagedNameIsLost() {
    let sound = "$s3app9loadUsersy10Foundation9OperationCSiF"
    // This name lacks its last letters, and Swift 6.3 aborts.
    let deadly = "$s3app5packsyyxxQpRvz"
    let texts = DemanglingChild.demangle([sound, deadly, sound, deadly, deadly, sound])
    #expect(texts[0] != nil && texts[0] == texts[2] && texts[2] == texts[5])
    #expect(texts[1] == texts[3] && texts[3] == texts[4])
  }

  /// Short names that expand to gigabytes.
  @Test(.ownThread) func namesThatExpandToGigabytesAreDropped() {
    let sound = "$s3app9loadUsersy10Foundation9OperationCSiF"
    // Each argument is a pair of the previous one.
    let substitutions = ["S_"] + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { "S\($0)_" }
    let large = "_Z1f1AIiiE" + (1..<34).map { "S_I\(substitutions[$0])\(substitutions[$0])E" }.joined()
    let texts = DemanglingChild.demangle([large, sound])
    #expect(texts[1] != nil)
  }
}

private let ofTheSource: [(String, String)] = [
  ("$s3app1sopyAA3BoxVySiGAEF", "-(_:)"),
  ("$s3app3lpgoiyS2i_SitF", "<+>(_:_:)"),
  ("$sSa12_endMutationyyF", "Array._endMutation()"),
  ("$sSa9_getCountSiyFSS_ypt_Tgq5", "Array._getCount()"),
  ("$sSa3appSiRszlE5totalSiyF", "Array.total()"),
  ("$s3app3BoxV3mapyACyqd__Gqd__xXElF", "Box.map(_:)"),
  ("$s3app3BoxV1vxvM", "Box.v.modify"),
  ("$sSlsE3mapySayqd__Gqd__7ElementQzqd_0_YKXEqd_0_YKs5ErrorRd_0_r0_lF", "Collection.map(_:)"),
  ("$s3app7CounterC4bump2byS2i_tF", "Counter.bump(by:)"),
  ("$s3app7CounterCfD", "Counter.deinit"),
  ("$s3app7CounterCACycfC", "Counter.init()"),
  ("$sSD17dictionaryLiteralSDyxq_Gx_q_td_tcfCSS_SaySiGTt0g5Tf4g_n", "Dictionary.init(dictionaryLiteral:)"),
  ("$s3app6LoaderC4KindO8rawValueAESgSS_tcfC", "Loader.Kind.init(rawValue:)"),
  ("$s3app6LoaderC5blockyyYbcvg", "Loader.block.getter"),
  ("$s3app6LoaderC7generic_4withSayq_Gx_q_7ElementQzKXEtKSlRzSHAHRQr0_lF", "Loader.generic(_:with:)"),
  ("$s3app6LoaderC6helper33_643237F7476EBB8E7C96EC81DD84C040LL1x_ySi_SiztF", "Loader.helper(x:_:)"),
  ("$s3app6LoaderC5users4flagACSgSDySSSaySiGG_SbtKcfC", "Loader.init(users:flag:)"),
  ("$s3app6LoaderC8observedSivW", "Loader.observed.didset"),
  ("$s3app6LoaderC5other_2byS2i_SitYaKF", "Loader.other(_:by:)"),
  ("$s3app6LoaderC5other_2byS2i_SitYaKFTY1_", "Loader.other(_:by:)"),
  ("$s3app6LoaderC5other_2byS2i_SitYaKFTQ0_", "Loader.other(_:by:)"),
  ("$s3app6LoaderC3runyS2iYaKF", "Loader.run(_:)"),
  ("$s3app6LoaderC3key7defaultSiSS_SiyXKtcig", "Loader.subscript.getter"),
  ("$s3app6LoaderCyS2icis", "Loader.subscript.setter"),
  ("$s3app6LoaderC4wiht7closureyySi_SaySSGtYaYbKc_tF", "Loader.wiht(closure:)"),
  ("$sSS3appE4PartV5shoutyS2Sd_tF", "String.Part.shout(_:)"),
  (
    "$sScTss5Error_pRs_rlE4name8priority9operationScTyxsAA_pGSSSg_ScPSgxyYaKYAcntcfC",
    "Task.init(name:priority:operation:)"
  ),
  ("$s3app7WrapperV14callAsFunctionyySiF", "Wrapper.callAsFunction(_:)"),
  (
    "$ss22__RawDictionaryStorageC4findys10_HashTableV6BucketV6bucket_Sb5foundtxSHRzlFSS_Tgq5",
    "__RawDictionaryStorage.find(_:)"
  ),
  ("$s3app0024defaultvalue_dmaEFDEIena_4metaAA6Runner_pypXp_AaD_ptF", "`default value`(_:meta:)"),
  ("$s3app6LoaderC5cacheSaySiGvgAEyXEfU_S2iXEfU_", "closure #1 in closure #1 in Loader.cache.getter"),
  ("$s3app6LoaderC3runyS2iYaKFSiScGySiGzYaXEfU_SiyYacfU_", "closure #1 in closure #1 in Loader.run(_:)"),
  ("$s3app9loadUsersy10Foundation9OperationCSiFyyYbcfU_", "closure #1 in loadUsers(_:)"),
  ("$s3app9loadUsersy10Foundation9OperationCSiFyyYbcfU_yyYbcfU_", "closure #1 in closure #1 in loadUsers(_:)"),
  ("$s3app4MainV4mainyyYaKFZySSXEfU2_", "closure #4 in static Main.main()"),
  ("$s3app6LoaderC5blockyyYbcvpfiyyYbcfU_", "closure #1 in variable initialization expression of Loader.block"),
  (
    "$s3app6LoaderC6helper33_643237F7476EBB8E7C96EC81DD84C040LL1x_ySi_SiztF5innerL_yS2iF6deeperL_SiyF",
    "deeper() in inner(_:) in Loader.helper(x:_:)"
  ),
  (
    "$s3app6LoaderC6helper33_643237F7476EBB8E7C96EC81DD84C040LL1x_ySi_SiztFfA_",
    "default argument 0 of Loader.helper(x:_:)"
  ),
  (
    "$s8Dispatch0A5QueueC6global3qosAcA0A3QoSV0E6SClassO_tFZfA_",
    "default argument 0 of static DispatchQueue.global(qos:)"
  ),
  ("$s3app6globalSaySiGvau", "global.unsafeMutableAddressor"),
  ("$s3app6global_WZ", "initialiser of global"),
  ("$sSa3appSiRszlE5totalSiyFS2i_Sitcfu_", "implicit closure #1 in Array.total()"),
  ("$s3app5packsyyxxQpRvzlF", "packs(_:)"),
  ("$s3app6LoaderC2eeoiySbAC_ACtFZ", "static Loader.==(_:_:)"),
  ("$s3app4MainV4mainyyYaKFZ", "static Main.main()"),
  ("$s3app4MainV5$mainyyFZ", "static Main.main()"),
  ("$s3app4KindO21__derived_enum_equalsySbAC_ACtFZ", "static Kind.==(_:_:)"),
  ("$s3app5tuple_1fQrSi_SS4namet_SbSScSicSgtF", "tuple(_:f:)"),
  ("$s3app3BoxV1vxvM.resume.0", "Box.v.modify"),
  ("main", "main"),
  ("read@@GLIBC_2.2.5", "read"),
  ("work.constprop.0", "work"),
  ("_ZN3app6Loader4loadEiPKc", "app::Loader::load()"),
  ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back()"),
  ("_ZN3app3mapIidEET0_T_", "app::map()"),
  ("_ZlsRSoRK3Foo", "operator<<()"),
  ("_ZN3FooltERKS_", "Foo::operator<()"),
  ("_ZN3FooclEi", "Foo::operator()()"),
  ("_ZZN3app3runEvENKUlvE_clEv", "app::run()::{lambda()#1}::operator()()"),
  ("_ZN12_GLOBAL__N_14workEv", "work()"),
  ("_ZN3FooD1Ev", "Foo::~Foo()"),
  ("$sNotAName", "$sNotAName"),
  ("_Z", "_Z"),
]

/// Thunks and the like.
private let ofTheCompiler: [(String, String)] = [
  ("$s5cross5CacheO6shared_WZ", "initialiser of Cache.shared"),
  ("$s5cross6second_WZ", "initialiser of second"),
  ("$s2nm5outeryyF5blockL_yS2iYbF", "block(_:) in outer()"),
  ("$s5cross5first_WZTm", "one-time initialization function for first (or one merged with it)"),
  ("$s3app9loadUsersy10Foundation9OperationCSiFTm", "loadUsers(_:) (or one merged with it)"),
  ("$s3app3runyS3icF24$s3app6fetchASiyFS2icfU_Tf1c_nTm", "run(_:) (or one merged with it)"),
  ("$s3app7CounterCScAAAScA15unownedExecutorScevgTW", "Counter.unownedExecutor.getter"),
  ("$s3app6LoaderC4KindOSHAASH13_rawHashValue4seedS2i_tFTW", "Loader.Kind._rawHashValue(seed:)"),
  ("$s3app6LoaderCAA6RunnerA2aDP3runyS2iYaKFTW", "Loader.run(_:)"),
  ("$s3app6LoaderCAA6RunnerA2aDP3runyS2iYaKFTWTQ0_", "Loader.run(_:)"),
  ("$s3app3BoxVwca", "assignWithCopy value witness for Box"),
  ("$s3app6LoaderC4KindOSHAASQWb", "base witness table accessor for Equatable"),
  ("$s3app6LoaderC3runyS2iYaKFSiScGySiGzYaXEfU_SiyYacfU_TA", "closure #1 in closure #1 in Loader.run(_:)"),
  ("$s3app6LoaderC3runyS2iYaKFSiScGySiGzYaXEfU_SiyYacfU_TATQ0_", "closure #1 in closure #1 in Loader.run(_:)"),
  ("$s3app9loadUsersy10Foundation9OperationCSiFyyYbcfU_TA", "closure #1 in loadUsers(_:)"),
  ("$s3app6LoaderC4KindO5labelSSvpAETK", "key path getter for Loader.Kind.label"),
  ("$sSay3app6LoaderC4KindOGSayxGSlsWl", "lazy protocol witness table accessor for Array"),
  ("$s3app3BoxVySSGWOh", "outlined destroy of Box"),
  ("$sSS_yptWOc", "outlined init with copy"),
  ("$s7ElementSTQzq_s5Error_pIgnrzo_ABq_sAC_pIegnrzr_SlRzSHAARpzr0_lTR", "reabstraction thunk"),
  ("$s3app6LoaderC4KindOSQAASQ2eeoiySbx_xtFZTW", "static Loader.Kind.==(_:_:)"),
  ("$s3app6LoaderCAA6RunnerA2aDP4makexyFZTW", "static Loader.make()"),
  ("$s3app3BoxVMa", "type metadata accessor for Box"),
  ("$sSS3appE4PartVMa", "type metadata accessor for String.Part"),
  ("$s3app6LoaderC4wiht7closureyySi_SaySSGtYaYbKc_tFyyYaKcfU_TA.30TQ0_", "closure #1 in Loader.wiht(closure:)"),
  ("objectdestroy.13Tm", "objectdestroy.13Tm"),
]
