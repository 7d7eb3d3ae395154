/// The bitmap of a letter or a digit, three dots wide and five high.
struct Glyph {
    /// Five rows of three bits; the top row and the left dot are the highest bits.
    private let dots: UInt16

    private init(_ dots: UInt16) { self.dots = dots }

    func isSet(_ column: Int, _ row: Int) -> Bool {
        dots >> UInt16(14 - row * 3 - column) & 1 == 1
    }

    static let digits: [Glyph] = [
        Glyph(0b111_101_101_101_111), Glyph(0b010_110_010_010_111), Glyph(0b111_001_111_100_111),
        Glyph(0b111_001_111_001_111), Glyph(0b101_101_111_001_001), Glyph(0b111_100_111_001_111),
        Glyph(0b111_100_111_101_111), Glyph(0b111_001_001_010_010), Glyph(0b111_101_111_101_111),
        Glyph(0b111_101_111_001_111),
    ]

    /// A to P.
    static let letters: [Glyph] = [
        Glyph(0b010_101_111_101_101), Glyph(0b110_101_110_101_110), Glyph(0b011_100_100_100_011),
        Glyph(0b110_101_101_101_110), Glyph(0b111_100_110_100_111), Glyph(0b111_100_110_100_100),
        Glyph(0b011_100_101_101_011), Glyph(0b101_101_111_101_101), Glyph(0b111_010_010_010_111),
        Glyph(0b001_001_001_101_010), Glyph(0b101_101_110_101_101), Glyph(0b100_100_100_100_111),
        Glyph(0b101_111_111_101_101), Glyph(0b110_101_101_101_101), Glyph(0b010_101_101_101_010),
        Glyph(0b110_101_110_100_100),
    ]
}
