import Base
import Testing

@Suite struct SecretBytesTests {
    @Test(arguments: [0, 1, 32, 257, 100_000]) func randomBytes(count: Int) {
        let (a, b) = (SecretBytes.random(count: count), SecretBytes.random(count: count))
        #expect(a.count == count && b.count == count)
        // With 32 bytes the chance that they are the same is 2^-256.
        if count >= 32 { #expect(a != b) }
    }
}
