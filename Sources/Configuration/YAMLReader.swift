internal import CYAML

/// Reads the part of YAML that a configuration needs: maps, lists and scalars in one document.
///
/// Anchors, aliases, tags and further documents are refused: their effect isn't visible where they are used.
/// The work is pure and bounded, whatever the bytes are: see ``maximumSize`` and ``maximumDepth``.
struct YAMLReader {
    static let maximumSize = 1 << 20
    static let maximumDepth = 32

    /// After a syntax error there is no document. A key that is given twice leaves the rest usable.
    struct Result {
        /// Nil: the text is empty, or isn't YAML.
        var document: YAMLNode?
        var errors: [ConfigurationError] = []
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>
    private let origin: (_ line: Int) -> ValueOrigin
    private var errors: [ConfigurationError] = []
    /// Of the last event, from 1.
    private var line = 1
    /// Of the last scalar.
    private var text = ""
    private var style = YAMLNode.Style.plain

    /// - Parameter origin: the origin of a line of this text (from 1), for messages.
    static func read(_ bytes: [UInt8], origin: @escaping (_ line: Int) -> ValueOrigin) -> Result {
        guard bytes.count <= maximumSize else {
            return Result(errors: [ConfigurationError(origin(1), "", "longer than 1 MiB")])
        }
        var parser = yaml_parser_t()
        // The parser has a pointer to itself.
        return withUnsafeMutablePointer(to: &parser) { parser in
            guard yaml_parser_initialize(parser) == 1 else {
                return Result(errors: [ConfigurationError(origin(1), "", "no memory for reading it")])
            }
            defer { yaml_parser_delete(parser) }
            return bytes.withUnsafeBufferPointer { buffer in
                yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
                var reader = YAMLReader(parser: parser, bytes: buffer, origin: origin)
                return reader.readStream()
            }
        }
    }

    private mutating func readStream() -> Result {
        var document: YAMLNode?
        do throws(ConfigurationError) {
            while let event = try next(unless: YAML_STREAM_END_EVENT) {
                guard event == YAML_DOCUMENT_START_EVENT else { continue }
                if document != nil { throw refusal("a second document (after ---) isn't supported here") }
                document = try readNode(try next(), depth: 1)
            }
            return Result(document: document, errors: errors)
        } catch {
            return Result(errors: errors + [error])
        }
    }

    private mutating func readNode(
        _ event: yaml_event_type_t, depth: Int
    ) throws(ConfigurationError) -> YAMLNode {
        guard depth <= Self.maximumDepth else {
            throw refusal("nested deeper than \(Self.maximumDepth) levels")
        }
        let origin = origin(line)
        switch event {
        case YAML_SCALAR_EVENT: return YAMLNode(content: .scalar(text, style), origin: origin)
        case YAML_SEQUENCE_START_EVENT:
            var elements: [YAMLNode] = []
            while let event = try next(unless: YAML_SEQUENCE_END_EVENT) {
                elements.append(try readNode(event, depth: depth + 1))
            }
            return YAMLNode(content: .list(elements), origin: origin)
        case YAML_MAPPING_START_EVENT:
            return YAMLNode(content: .map(try readEntries(depth: depth)), origin: origin)
        default: throw refusal("not YAML that this program understands")
        }
    }

    private mutating func readEntries(depth: Int) throws(ConfigurationError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var lines: [String: Int] = [:]
        while let event = try next(unless: YAML_MAPPING_END_EVENT) {
            guard event == YAML_SCALAR_EVENT else { throw refusal("a key must be a plain word") }
            let (key, keyLine) = (text, line)
            let value = try readNode(try next(), depth: depth + 1)
            if let first = lines[key] {
                let message = "the key \(quote(key)) is given twice; the first is on line \(first)"
                errors.append(ConfigurationError(origin(keyLine), "", message))
            } else {
                lines[key] = keyLine
                entries.append(YAMLNode.Entry(key: key, keyOrigin: origin(keyLine), value: value))
            }
        }
        return entries
    }

    /// An error on the line of the last event.
    private func refusal(_ message: String) -> ConfigurationError {
        ConfigurationError(origin(line), "", message)
    }

    /// The type of libyaml's next event; nil: it is the one that ends a collection or the stream.
    private mutating func next(unless end: yaml_event_type_t) throws(ConfigurationError) -> yaml_event_type_t?
    {
        let event = try next()
        return event == end ? nil : event
    }

    private mutating func next() throws(ConfigurationError) -> yaml_event_type_t {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
        defer { yaml_event_delete(&event) }
        line = event.start_mark.line + 1
        let scalar = event.data.scalar
        switch event.type {
        case YAML_ALIAS_EVENT: throw refusal("aliases (*name) aren't supported here")
        // The beginning of their data is the same.
        case YAML_SCALAR_EVENT, YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT:
            if scalar.anchor != nil { throw refusal("anchors (&name) aren't supported here") }
            if scalar.tag != nil { throw refusal("tags (!name) aren't supported here") }
        default: break
        }
        if event.type == YAML_SCALAR_EVENT {
            let value = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            text = String(decoding: value, as: UTF8.self)
            style = scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted
        }
        return event.type
    }

    /// libyaml's message, with line and column (from 1). For bytes that aren't text, libyaml gives an offset
    /// instead.
    private mutating func syntaxError() -> ConfigurationError {
        /// Whether a tab is at this place, which counts characters.
        func isTab(_ index: Int) -> Bool {
            String(decoding: bytes, as: UTF8.self).unicodeScalars.dropFirst(index).first == "\t"
        }
        let words = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
        let context = parser.pointee.context.map { " " + String(cString: $0) } ?? ""
        guard parser.pointee.error != YAML_READER_ERROR else {
            let before = bytes.prefix(parser.pointee.problem_offset)
            line = before.count { $0 == UInt8(ascii: "\n") } + 1
            return refusal("not text: \(words)")
        }
        let mark = parser.pointee.problem_mark
        line = mark.line + 1
        if isTab(mark.index) {
            return refusal("column \(mark.column + 1): a tab, where YAML takes only spaces")
        }
        return refusal("column \(mark.column + 1): \(words)\(context)")
    }
}
