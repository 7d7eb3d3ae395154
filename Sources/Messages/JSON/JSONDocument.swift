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

/// A part of a document.
struct JSONPart {
    enum Kind {
        case object, list, text(String), integer(Int), real(Double), flag(Bool), null
    }

    let document: JSONDocument
    let pointer: UnsafeMutablePointer<json_t>

    init(_ document: JSONDocument, _ pointer: UnsafeMutablePointer<json_t>? = nil) {
        self.document = document
        self.pointer = pointer ?? document.root
    }

    /// What it is.
    var kind: Kind {
        switch pointer.pointee.type {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .list
        case JSON_STRING: .text(json_string_value(pointer).map { String(cString: $0) } ?? "")
        case JSON_INTEGER: .integer(Int(json_integer_value(pointer)))
        case JSON_REAL: .real(json_real_value(pointer))
        case JSON_TRUE: .flag(true)
        case JSON_FALSE: .flag(false)
        default: .null
        }
    }

    /// The number that it is, if it is one.
    var number: Double? {
        switch pointer.pointee.type {
        case JSON_INTEGER: Double(json_integer_value(pointer))
        case JSON_REAL: json_real_value(pointer)
        default: nil
        }
    }

    /// A field of an object.
    subscript(name: String) -> JSONPart? {
        // Not the string itself: that would be copied to an array for C.
        name.withCString { json_object_get(pointer, $0) }.map { JSONPart(document, $0) }
    }

    /// How many fields an object has, or elements a list.
    var count: Int {
        pointer.pointee.type == JSON_ARRAY ? json_array_size(pointer) : json_object_size(pointer)
    }

    /// The elements of a list.
    var elements: [JSONPart] {
        (0..<json_array_size(pointer)).compactMap { place in
            json_array_get(pointer, place).map { JSONPart(document, $0) }
        }
    }

    /// The names of an object's fields, as they came.
    var names: [String] {
        var names: [String] = []
        var place = json_object_iter(pointer)
        while let here = place {
            names.append(String(cString: json_object_iter_key(here)))
            place = json_object_iter_next(pointer, here)
        }
        return names
    }

    /// What it is, in words.
    var words: String {
        switch kind {
        case .object: "an object"
        case .list: "a list"
        case .text(let text): "\"\(text.beginning(40))\""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .null: "null"
        }
    }
}
