/// When something happened to a subject for the first time, by its number: a look at a table, since each event asks.
struct FirstTimes {
  private var places: PlaceTable
  private var times: [Nanoseconds] = []

  /// Numbers below the limit have a place of their own; larger ones, which only a damaged trace has, are looked up.
  init(denseLimit: Int) { places = PlaceTable(denseLimit: denseLimit) }

  subscript(id: UInt32) -> Nanoseconds? { places[id].map { times[$0] } }

  mutating func note(_ id: UInt32, _ time: Nanoseconds) {
    if let place = places[id] {
      times[place] = min(times[place], time)
      return
    }
    places[id] = times.count
    times.append(time)
  }
}
