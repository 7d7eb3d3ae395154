import Base
import FoundationEssentials
import Testing

@testable import Contract

/// Text that is printed: numbers, columns, and text from the bus.
@Suite struct TextTests {
    @Test(arguments: [
        (2.0, "2"), (-0.5, "-0.5"), (1.23456, "1.235"), (0.0001, "0"), (1e16, "1e+16"), (.infinity, "inf"),
    ]) func numbersHaveAtMostThreeDigitsAfterThePoint(number: Double, expected: String) {
        #expect(number.roundedText == expected)
    }

    /// The same as on the page.
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (3_104_567, "3.1 MB"), (999_499, "999 kB"),
        (999_500, "1.0 MB"), (1_000_000_000, "1.0 GB"), (2_500_000_000_000_000, "2500.0 TB"),
    ]) func bytesAreCountedInUnits(bytes: Int, expected: String) { #expect(bytes.bytesText == expected) }

    @Test func aPrintableLineHasEscapesForWhatIsNotPrintable() {
        #expect(PrintableLine("a\u{1B}[2J\tb\u{7F}\u{9B}c\nü日").text == #"a\u001b[2J\tb\u007f\u009bc\nü日"#)
        let text = "b\nc"
        #expect("a \(text)" as PrintableLine == PrintableLine(#"a b\nc"#))
        #expect(PrintableLine.lines(of: "a\n\nb\r\u{1B}\n") == ["a", "", #"b\r\u001b"#])
        #expect(PrintableLine.lines(of: "") == [])
    }

    /// One scalar of each general category, and what makes text look like another.
    @Test(arguments: [
        ("\u{0}", false), ("\u{1F}", false), (" ", true), ("~", true), ("\u{7F}", false), ("\u{80}", false),
        ("\u{9F}", false), ("\u{A0}", true), ("\u{AD}", false), ("\u{61C}", false), ("\u{200B}", false),
        ("\u{200D}", false), ("\u{200E}", false), ("\u{200F}", false), ("\u{2028}", false),
        ("\u{2029}", false), ("\u{202A}", false), ("\u{202E}", false), ("\u{2060}", false),
        ("\u{2066}", false), ("\u{2069}", false), ("\u{E000}", false), ("\u{FEFF}", false),
        ("\u{FFFD}", true), ("\u{FFFE}", false), ("\u{378}", false), ("\u{E0041}", false),
        ("\u{301}", true), ("\u{FE0F}", true), ("😀", true), ("日", true), ("×", true), ("█", true),
    ]) func whatIsPrintableIsDecidedByItsCategory(scalar: Unicode.Scalar, expected: Bool) {
        #expect(scalar.isPrintable == expected)
        let text = "a\(scalar)b"
        #expect((PrintableLine(text).text == text) == expected)
        #expect(text.onlyPrintable == (expected ? text : "ab"))
    }

    /// JSON stays the same JSON, with one line and without control characters.
    @Test func jsonKeepsItsMeaning() throws {
        let all =
            String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
            + "\u{E0041}\u{202E}"
        let line = PrintableLine(String(decoding: JSON.bytes(JSON.object([all: .text(all)])), as: UTF8.self))
        #expect(line.text.unicodeScalars.allSatisfy { $0.isPrintable })
        #expect(try JSONDecoder().decode([String: String].self, from: Data(line.text.utf8)) == [all: all])
    }

    @Test func columnsOfATableAreAligned() {
        var table = TextTable(["A", "NAME", ""])
        table.add(["ü", "", " "])
        table.add(["long", "b", "c"])
        #expect(table.lines == ["A     NAME", "ü     -", "long  b     c"])
    }

    @Test func aCellCannotForgeARow() {
        var table = TextTable(["A", "B"])
        table.add(["a\nporch/door  online", "\u{1B}[2J"])
        #expect(table.lines == ["A                      B", #"a\nporch/door  online  \u001b[2J"#])
    }

    @Test func piecesOfALineAreCutAndPadded() {
        var line = ScreenLine("")
        line.add("abcdef", width: 4)
        line.add("日本語", .red, width: 4)
        line.add("x", width: 0)
        line.add("end", .bold, width: 3)
        #expect(line.text(columns: 80, hasColours: false) == "abc… 日…  end ")
        #expect(line.text(columns: 13, hasColours: false) == "abc… 日…  end")
        #expect(line.text(columns: 12, hasColours: false) == "abc… 日…  e…")
        #expect(
            line.text(columns: 80, hasColours: true).contains("\u{1B}[31m日…  \u{1B}[0m\u{1B}[1mend \u{1B}[0m")
        )
    }
}
