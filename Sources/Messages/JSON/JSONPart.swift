internal import CJansson

/// A payload that was read as JSON, or a part of it.
enum JSONPart {
    enum Kind {
        case object, list, text(String), integer(Int), real(Double), flag(Bool), null
    }

    /// A value in a tree of Jansson.
    case tree(JSONDocument, UnsafeMutablePointer<json_t>)
    case small(SmallObject)
    /// A field of a small object.
    case scalar(Kind)

    /// Reads a payload, which is to be one JSON value of any kind.
    ///
    /// - Parameter isCommand: whether a payload beyond ``JSONBounds`` is refused.
    init(_ payload: [UInt8], isCommand: Bool = false) throws(CommandError) {
        if let object = SmallObject(payload) {
            self = .small(object)
        } else {
            if isCommand { try JSONBounds.check(payload) }
            self.init(try JSONDocument(payload))
        }
    }

    init(_ document: JSONDocument) { self = .tree(document, document.root) }

    /// What it is.
    var kind: Kind {
        switch self {
        case .small: return .object
        case .scalar(let kind): return kind
        case .tree(_, let pointer):
            switch pointer.pointee.type {
            case JSON_OBJECT: return .object
            case JSON_ARRAY: return .list
            case JSON_STRING: return .text(json_string_value(pointer).map { String(cString: $0) } ?? "")
            case JSON_INTEGER: return .integer(Int(json_integer_value(pointer)))
            case JSON_REAL: return .real(json_real_value(pointer))
            case JSON_TRUE: return .flag(true)
            case JSON_FALSE: return .flag(false)
            default: return .null
            }
        }
    }

    var isObject: Bool { if case .object = kind { true } else { false } }

    /// The number that it is, if it is one.
    var number: Double? {
        switch kind {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .object, .list, .text, .flag, .null: nil
        }
    }

    /// A field of an object.
    subscript(name: String) -> JSONPart? {
        switch self {
        case .small(let object): object[name]
        case .scalar: nil
        // Not the string itself: that would be copied to an array for C.
        case .tree(let document, let pointer):
            name.withCString { json_object_get(pointer, $0) }.map { .tree(document, $0) }
        }
    }

    /// How many fields an object has, or elements a list.
    var count: Int {
        switch self {
        case .small(let object): object.count
        case .scalar: 0
        case .tree(_, let pointer):
            pointer.pointee.type == JSON_ARRAY ? json_array_size(pointer) : json_object_size(pointer)
        }
    }

    /// The elements of a list.
    var elements: [JSONPart] {
        guard case .tree(let document, let pointer) = self else { return [] }
        return (0..<json_array_size(pointer)).compactMap { place in
            json_array_get(pointer, place).map { .tree(document, $0) }
        }
    }

    /// The names of an object's fields, as they came.
    var names: [String] {
        if case .small(let object) = self { object.names } else { fields.map(\.name) }
    }

    /// An object's fields, as they came.
    var fields: [(name: String, value: JSONPart)] {
        switch self {
        case .small(let object): return object.fields
        case .scalar: return []
        case .tree(let document, let pointer):
            var fields: [(name: String, value: JSONPart)] = []
            var place = json_object_iter(pointer)
            while let here = place {
                if let value = json_object_iter_value(here) {
                    fields.append((String(cString: json_object_iter_key(here)), .tree(document, value)))
                }
                place = json_object_iter_next(pointer, here)
            }
            return fields
        }
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
