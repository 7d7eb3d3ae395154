extension Double {
    /// As precise as a controller can use: to a millionth.
    package var forMessages: Double { isFinite ? (self * 1e6).rounded() / 1e6 : self }
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

extension [String] {
    /// The first names for a message, and how many there are besides. An answer is short, however many there
    /// are.
    package func listed(atMost count: Int) -> String {
        let names = prefix(count).joined(separator: ", ")
        return self.count > count ? "\(names) and \(self.count - count) more" : names
    }
}
