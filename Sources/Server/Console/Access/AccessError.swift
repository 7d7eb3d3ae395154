/// Why a token, or the file with the tokens, cannot be used.
package struct AccessError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
