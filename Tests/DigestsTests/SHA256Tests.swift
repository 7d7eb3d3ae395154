import Base
import Testing

/// The examples that NIST gives for FIPS 180-4, and those of RFC 4231.
@Suite struct SHA256Tests {
    static let vectors: [(text: String, hash: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]

    @Test(arguments: vectors) func knownHashes(text: String, hash: String) {
        #expect(Hexadecimal.text(of: SHA256.hash(of: Array(text.utf8))) == hash)
    }

    @Test func knownHashOfAMillionBytes() {
        #expect(
            Hexadecimal.text(of: SHA256.hash(of: [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// The hash does not depend on the parts in which the data comes, some of them empty.
    @Test(arguments: [1, 63, 64, 65, 4096]) func dataInParts(size: Int) {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var digest = SHA256()
        for start in stride(from: 0, to: bytes.count, by: size) {
            digest.update(Array(bytes[start..<min(start + size, bytes.count)]))
            digest.update([])
        }
        #expect(digest.finish() == SHA256.hash(of: bytes))
    }

    static let codes: [(key: [UInt8], bytes: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: codes) func knownAuthenticationCodes(key: [UInt8], bytes: [UInt8], code: String) {
        #expect(Hexadecimal.text(of: SHA256.authenticationCode(of: bytes, key: key)) == code)
    }
}
