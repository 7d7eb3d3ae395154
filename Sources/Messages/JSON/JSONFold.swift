extension JSON {
    /// A part of a text whose parts are known already.
    package enum Part<Value> {
        case object([(name: String, value: Value)])
        case list([Value])
        /// Text, a number, a flag or null.
        case scalar(JSONTree)
    }

    /// Goes over a text from its innermost parts outwards. Fields come in their order, which ``JSONTree``
    /// doesn't keep.
    ///
    /// - Returns: the value of the outermost part; nil if the text is no valid JSON.
    package static func fold<Value>(_ text: [UInt8], _ value: (Part<Value>) -> Value) -> Value? {
        (try? JSONPart(text)).map { fold($0, value) }
    }

    private static func fold<Value>(_ part: JSONPart, _ value: (Part<Value>) -> Value) -> Value {
        switch part.kind {
        case .object: value(.object(part.fields.map { ($0.name, fold($0.value, value)) }))
        case .list: value(.list(part.elements.map { fold($0, value) }))
        case .text, .integer, .real, .flag, .null: value(.scalar(JSONTree(part) ?? .null))
        }
    }
}
