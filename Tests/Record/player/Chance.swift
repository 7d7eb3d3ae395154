/// Random choices that a seed repeats (SplitMix64; Steele, Lea, Flood 2014).
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func happens(_ percent: Double) -> Bool { Double(below(100_000)) < percent * 1_000 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// A number with three decimals.
    mutating func number(_ least: Double, _ most: Double) -> Double {
        let thousandths = Int(least * 1_000) + below(Int((most - least) * 1_000) + 1)
        return Double(thousandths) / 1_000
    }
}
