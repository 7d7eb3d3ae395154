import Base
import FoundationEssentials
import Testing

@Suite struct ByteTextTests {
    @Test func hexadecimal() {
        #expect(Hexadecimal.text(of: [0x00, 0x7f, 0xa0, 0xff]) == "007fa0ff")
        #expect(Hexadecimal.text(of: [UInt8]()) == "")
        #expect(Hexadecimal.bytes(of: "007FA0ff") == [0x00, 0x7f, 0xa0, 0xff])
        #expect(Hexadecimal.bytes(of: "") == [])
    }

    @Test(arguments: ["0", "0g", "00 ", "0x00", "é0", "000"]) func noHexadecimal(text: String) {
        #expect(Hexadecimal.bytes(of: text) == nil)
    }

    /// The vectors of RFC 4648, section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ]) func base64URL(bytes: String, text: String) {
        #expect(Base64URL.text(of: Array(bytes.utf8)) == text)
    }

    @Test func base64URLOfAllBytes() {
        #expect(Base64URL.text(of: [0xfb, 0xff, 0xbf]) == "-_-_")
        for count in 0..<260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let text = Data(bytes).base64EncodedString().map { ["+": "-", "/": "_", "=": ""][$0] ?? "\($0)" }
            #expect(Base64URL.text(of: bytes) == text.joined())
        }
    }
}
