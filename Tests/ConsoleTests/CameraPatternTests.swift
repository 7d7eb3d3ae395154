import Testing

@testable import Server

@Suite struct CameraPatternTests {
    @Test(arguments: [
        ("*", "porch/door", true), ("*/*", "porch/door", true), ("porch/*", "porch/door", true),
        ("porch/*", "porch2/door", false), ("*/door", "porch/door", true), ("*/door", "porch/doors", false),
        ("p*h/d*r", "porch/door", true), ("p*x*h/*", "porch/door", false), ("porch/door", "porch/door", true),
        ("porch/door", "porch/doo", false), ("**/door", "porch/door", true), ("porch*/*", "porch/door", true),
        ("*a*b*/x", "aab/x", true), ("*a*b*/x", "ba/x", false),
    ])
    func aPatternMatches(pattern: String, name: String, matches: Bool) {
        #expect(CameraPattern(pattern)!.matches(camera(name)) == matches)
    }

    @Test(arguments: [
        "", "/", "porch", "porch/", "/door", "porch/door/x", "**", "Porch/*", "porch/dö*", "porch/door ",
        "+/#", "*/?",
        "porch/\u{301}door", String(repeating: "a", count: 70) + "/" + String(repeating: "b", count: 70),
    ])
    func whatMatchesNoCameraIsNoPattern(text: String) { #expect(CameraPattern(text) == nil) }

    /// The shortest description of what a pattern is.
    private func naive(_ pattern: Substring, _ name: Substring) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" {
            return naive(pattern.dropFirst(), name) || (!name.isEmpty && naive(pattern, name.dropFirst()))
        }
        return name.first == first && naive(pattern.dropFirst(), name.dropFirst())
    }

    @Test func itMatchesWhatANaiveMatcherMatches() {
        var chance = Chance(seed: 1)
        func text(_ letters: String, _ count: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: count, using: &chance)).map { _ in letters.randomElement(using: &chance)!
                })
        }
        var matched = 0
        for _ in 0..<20_000 {
            let agent = text("ab", 1...6), door = text("ab", 1...6)
            let agents = text("ab*", 1...5), doors = text("ab*", 1...5)
            let expected = naive(agents[...], agent[...]) && naive(doors[...], door[...])
            let pattern = CameraPattern("\(agents)/\(doors)")!
            #expect(pattern.matches(camera("\(agent)/\(door)")) == expected, "\(pattern) \(agent)/\(door)")
            matched += expected ? 1 : 0
        }
        #expect((1000...19_000).contains(matched), "the texts are too alike, or too different: \(matched)")
    }

    /// A pattern that makes matchers with backtracking take exponential time.
    @Test func manyStarsTakeLittleTime() {
        let pattern = CameraPattern(String(repeating: "a*", count: 31) + "b/*")!
        let name = camera(String(repeating: "a", count: 64) + "/door")
        #expect(!pattern.matches(name))
    }
}
