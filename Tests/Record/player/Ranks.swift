/// Replaces numbers of revisions, starts and times by their ranks among those of a sequence, and random
/// identities by a star.
struct Ranks {
    /// What stands before a number, and the letter of its ranks.
    private static let numbers: [(mark: [UInt8], letter: String)] = [
        (#""rev":"#, "r"), ("(rev=", "r"), ("is at rev ", "r"), (#""boot":"#, "b"), ("(boot=", "b"),
    ].map { ([UInt8]($0.0.utf8), $0.1) }
    private static let identities = [#""run":""#, #""instance":""#].map { [UInt8]($0.utf8) }
    /// `2026-11-21T09:46:34.152Z`
    private static let time = [UInt8]("0000-00-00T00:00:00.000Z".utf8)

    private var revisions: [String: Set<Int>] = [:]
    private var times: Set<String> = []
    private var rankOfNumber: [String: [Int: Int]] = [:]
    private var rankOfTime: [String: Int] = [:]

    init(_ lines: [String]) {
        for line in lines {
            Self.scan(line) { part in
                switch part {
                case .number(let letter, let number): revisions[letter, default: []].insert(number)
                case .time(let time): times.insert(time)
                case .text, .identity: break
                }
            }
        }
        for (letter, numbers) in revisions {
            rankOfNumber[letter] = Dictionary(
                uniqueKeysWithValues: zip(numbers.sorted(), 1...))
        }
        rankOfTime = Dictionary(uniqueKeysWithValues: zip(times.sorted(), 1...))
    }

    func ranked(_ lines: [String]) -> [String] {
        lines.map { line in
            var text: [UInt8] = []
            Self.scan(line) { part in
                switch part {
                case .text(let bytes): text += bytes
                case .number(let letter, let number):
                    text += "\(letter)\(rankOfNumber[letter]?[number] ?? 0)".utf8
                case .time(let time): text += "t\(rankOfTime[time] ?? 0)".utf8
                case .identity: text.append(UInt8(ascii: "*"))
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private enum Part {
        case text(ArraySlice<UInt8>)
        case number(letter: String, Int)
        case time(String)
        case identity
    }

    private static func scan(_ line: String, _ found: (Part) -> Void) {
        let bytes = [UInt8](line.utf8)
        var (start, place) = (0, 0)
        func has(_ mark: [UInt8]) -> Bool { bytes[place...].starts(with: mark) }
        func passText() {
            if start < place { found(.text(bytes[start..<place])) }
        }
        while place < bytes.count {
            let byte = bytes[place]
            if byte >= 0x30 && byte <= 0x39 {
                if isTime(bytes[place...]) {
                    passText()
                    found(.time(String(decoding: bytes[place..<place + time.count], as: UTF8.self)))
                    place += time.count
                    start = place
                } else {
                    place += 1
                }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "(") || byte == UInt8(ascii: "i") {
                if let (mark, letter) = numbers.first(where: { has($0.mark) }) {
                    place += mark.count
                    passText()
                    start = place
                    while place < bytes.count, bytes[place] >= 0x30, bytes[place] <= 0x39 { place += 1 }
                    if let number = Int(String(decoding: bytes[start..<place], as: UTF8.self)) {
                        found(.number(letter: letter, number))
                        start = place
                    }
                } else if let mark = identities.first(where: has) {
                    place += mark.count
                    passText()
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += 1 }
                    found(.identity)
                    start = place
                } else {
                    place += 1
                }
            } else {
                place += 1
            }
        }
        passText()
    }

    private static func isTime(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= time.count
            && zip(bytes, time).allSatisfy { $1 == 0x30 ? $0 >= 0x30 && $0 <= 0x39 : $0 == $1 }
    }
}
