extension Unicode.Scalar {
    /// Whether the scalar has a shape of its own. The others change what a terminal or a log shows, or cannot
    /// be seen: control characters (C0, DEL, C1), format characters (such as those that change the direction
    /// of text, or have no width), line and paragraph separators, private use, and scalars without a
    /// character. Decided by the general category (Unicode Standard, 4.5): Cc, Cf, Zl, Zp, Cs, Co, Cn.
    package var isPrintable: Bool {
        if isASCII { return (0x20..<0x7F).contains(value) }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}

extension String {
    /// The text with the escapes of JSON (RFC 8259, section 7) for what is not printable: `\n`, `\u001b`,
    /// `\u202e`.
    ///
    /// It is for everything that is shown to people: text from the bus, from devices and from files may
    /// contain escape sequences that a terminal executes, and line feeds that forge lines. JSON of one line
    /// keeps its meaning, as such characters occur in its strings only.
    package var printable: String {
        // Nearly all text is ASCII; the table of the categories is not needed for it.
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var text = ""
        text.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if scalar.isPrintable { text.unicodeScalars.append(scalar) } else { text += scalar.escape }
        }
        return text
    }

    /// The text without what is not printable. It is for names that devices give themselves.
    package var onlyPrintable: String {
        String(UnicodeScalarView(unicodeScalars.filter(\.isPrintable)))
    }
}

extension Unicode.Scalar {
    fileprivate var escape: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: UTF16.encode(self)?.map(Self.escape).joined() ?? ""
        }
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
