extension Double {
    /// As precise as a controller can use: to a millionth.
    package var forMessages: Double { isFinite ? (self * 1e6).rounded() / 1e6 : self }

    /// Without a fraction where there is none.
    package var shortText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension String {
    /// The first scalars of a text, for messages. Scalars, because a single character may have any number of
    /// accents.
    package func beginning(_ count: Int) -> String { String(Substring(unicodeScalars.prefix(count))) }

    /// Its end, of at most so many bytes.
    package func ending(_ bytes: Int) -> String {
        var start = unicodeScalars.endIndex
        var room = bytes
        while start > unicodeScalars.startIndex {
            let before = unicodeScalars.index(before: start)
            room -= UTF8.width(unicodeScalars[before])
            if room < 0 { break }
            start = before
        }
        return String(unicodeScalars[start...])
    }
}

extension UInt8 {
    /// Whether it is an ASCII digit or small letter.
    package var isSmallLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// Whether it is an ASCII digit or letter.
    package var isLetterOrDigit: Bool {
        isSmallLetterOrDigit || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self
    }

    /// Whether the names of agents, cameras and clients can have it: `a-z`, `0-9`, `_` and `-`.
    package var isPartOfName: Bool {
        isSmallLetterOrDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
    }

    /// Whether the names that the agent gives to files of photos and recordings can have it.
    package var isPartOfFileName: Bool { isLetterOrDigit || "._-".utf8.contains(self) }
}

extension [String] {
    /// The first names for a message, and how many there are besides. An answer is short, however many there
    /// are.
    package func listed(atMost count: Int) -> String {
        let names = prefix(count).joined(separator: ", ")
        return self.count > count ? "\(names) and \(self.count - count) more" : names
    }
}
