import Base
import Testing

@Suite struct SecretBytesTests {
    @Test(arguments: [0, 1, 32, 257, 100_000]) func randomBytes(count: Int) {
        let (a, b) = (SecretBytes.random(count: count), SecretBytes.random(count: count))
        #expect(a.count == count && b.count == count)
        // With 32 bytes the chance that they are the same is 2^-256.
        if count >= 32 { #expect(a != b) }
    }

    @Test func comparison() {
        let secret = Array("a secret of some length".utf8)
        #expect(SecretBytes.areEqual(secret, secret))
        #expect(SecretBytes.areEqual([], []))
        #expect(!SecretBytes.areEqual(secret, Array(secret.dropLast())))
        #expect(!SecretBytes.areEqual(secret, []))
        for place in secret.indices {
            var other = secret
            other[place] ^= 1
            #expect(!SecretBytes.areEqual(secret, other))
        }
    }
}
