import Testing

@testable import Cameras

/// Names that a device gives itself.
@Suite struct DeviceTextTests {
    /// A C array of 16 bytes, as Swift imports it.
    private typealias Characters = (UInt64, UInt64)

    private func characters(_ bytes: [UInt8]) -> Characters {
        var array: Characters = (0, 0)
        withUnsafeMutableBytes(of: &array) { $0.copyBytes(from: bytes.prefix(16)) }
        return array
    }

    @Test(arguments: [
        ("HD Webcam", "HD Webcam"), ("Caméra 日本", "Caméra 日本"), ("\u{1B}[2Jcam\r\n", "[2Jcam"),
        ("a\u{9B}b\u{202E}c\u{7F}", "abc"), ("cut\u{0}off", "cut"), ("", ""),
        ("sixteen bytes ..", "sixteen bytes .."),
    ]) func onlyWhatIsPrintableIsKept(name: String, expected: String) {
        #expect(deviceText(characters(Array(name.utf8))) == expected)
    }

    @Test func bytesThatAreNoTextAreMarked() {
        #expect(deviceText(characters([0x61, 0xFF, 0x62])) == "a\u{FFFD}b")
    }
}
