import Console
import Testing

/// Text that is printed: numbers, columns, and text from the bus.
@Suite struct TextTests {
    @Test(arguments: [
        (2.0, "2"), (-0.5, "-0.5"), (1.23456, "1.235"), (0.0001, "0"), (1e16, "1e+16"), (.infinity, "inf"),
    ]) func numbersHaveAtMostThreeDigitsAfterThePoint(number: Double, expected: String) {
        #expect(number.plainText == expected)
    }

    @Test func controlCharactersAreRemoved() {
        #expect("a\u{1B}[2J\tb\u{7F}\u{9B}c\nü日".printable == "a[2Jbcü日")
    }

    @Test func columnsOfATableAreAligned() {
        var table = TextTable(["A", "NAME", ""])
        table.add(["ü", "", " "])
        table.add(["long", "b", "c"])
        #expect(table.lines == ["A     NAME", "ü     -", "long  b     c"])
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
