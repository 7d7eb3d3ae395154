internal import Messages

/// A part of a document whose fields have an order: the same camera gives the same bytes.
indirect enum DocumentValue: Sendable, Equatable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([DocumentValue])
    case object(Object)

    /// Reads a JSON text; nil if it isn't one, or contains null.
    init?(json: [UInt8]) {
        let value = JSON.fold(json) { (part: JSON.Part<DocumentValue?>) -> DocumentValue? in
            switch part {
            case .scalar(.text(let text)): .text(text)
            case .scalar(.flag(let flag)): .flag(flag)
            case .scalar(let value): value.number.map { .number($0) }
            case .list(let values): .list(values.compactMap { $0 })
            case .object(let fields):
                .object(fields.reduce(into: Object()) { object, field in object[field.name] = field.value })
            }
        }
        guard let value = value ?? nil else { return nil }
        self = value
    }

    var object: Object? { if case .object(let object) = self { object } else { nil } }
    var list: [DocumentValue]? { if case .list(let list) = self { list } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension DocumentValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object): try object.encode(to: encoder)
        case .list(let values): try values.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .flag(let flag): try flag.encode(to: encoder)
        }
    }
}

extension DocumentValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral number: Int) { self = .number(Double(number)) }
}

/// Fields in the order in which they were added.
struct Object: Sendable, Equatable, Encodable, ExpressibleByDictionaryLiteral {
    private struct FieldName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Field: Sendable, Equatable {
        let name: String
        let value: DocumentValue
    }

    private var fields: [Field] = []

    init(dictionaryLiteral fields: (String, DocumentValue)...) {
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
    }

    /// The names, in their order.
    var names: [String] { fields.map(\.name) }

    subscript(name: String) -> DocumentValue? {
        get { fields.first { $0.name == name }?.value }
        set {
            let place = fields.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): fields[place] = Field(name: name, value: value)
            case (let place?, nil): fields.remove(at: place)
            case (nil, let value?): fields.append(Field(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        for field in fields { try container.encode(field.value, forKey: FieldName(stringValue: field.name)) }
    }
}
