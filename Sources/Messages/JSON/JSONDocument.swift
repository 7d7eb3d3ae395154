internal import CJansson

/// A parsed payload: the owner of Jansson's tree. Each value in the tree keeps it alive.
///
/// Jansson is several times as fast as Foundation's decoder on messages of our size. It refuses what JSON
/// forbids (a name twice, text that isn't UTF-8), and reports the place.
final class JSONDocument {
    let root: UnsafeMutablePointer<json_t>

    /// Parses a payload, which is to be one JSON value of any kind.
    init(_ payload: [UInt8]) throws(CommandError) {
        // Jansson (2.14) doesn't see one that ends a payload.
        if let place = payload.firstIndex(of: 0) {
            throw CommandError(.badPayload, "The payload isn't valid JSON: byte \(place + 1) is zero.")
        }
        var error = json_error_t()
        let root = payload.withUnsafeBytes { bytes in
            json_loadb(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
                Int(JSON_DECODE_ANY | JSON_REJECT_DUPLICATES), &error)
        }
        guard let root else {
            let words = withUnsafePointer(to: &error.text) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(JSON_ERROR_TEXT_LENGTH)) {
                    String(cString: $0)
                }
            }
            throw CommandError(
                .badPayload,
                "The payload isn't valid JSON: line \(error.line), column \(error.column): \(words).")
        }
        self.root = root
    }

    deinit { json_decref(root) }
}
