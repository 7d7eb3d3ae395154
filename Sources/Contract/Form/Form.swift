/// Something with named fields, declared once: ``init(_:)`` names each field with its type, range, default
/// and sentence, and assigns each property once. Reading, writing and describing it follow.
///
/// A visitor that reads remembers the first error and goes on with samples, so a declaration has no `try`.
/// Which fields it names must not depend on a value.
package protocol Form: FieldValue where Rule == AnyRule {
    init(_ f: inout some FormVisitor<Self>)

    /// Writes the fields, without brackets.
    ///
    /// A requirement, like those of ``FieldValue``, so that it is compiled for the type in the type's module.
    func writeFields(to json: inout JSONWriter)
}

/// A rule that allows each value of a type.
package struct AnyRule: Sendable { package static let any = AnyRule() }

/// How a form is read.
package enum Reading: Sendable {
    /// A field that the form does not name is an error, and so is `null`.
    case strict
    /// A message of an agent of any version: other fields are ignored, and `null` is an absent field. Types,
    /// words and ranges of whole numbers count; ranges of other numbers and rules for texts or several fields
    /// don't.
    case lenient
}

/// What is wrong with a field.
package struct FormError: Error, Equatable {
    package enum Place: Equatable {
        /// The value that is read: its name is not known yet.
        case here
        /// A field inside, with dots between levels.
        case field(String)
        /// No field of its own.
        case none
    }

    package let place: Place
    /// Without the field.
    package let message: String

    package init(_ place: Place, _ message: String) { (self.place, self.message) = (place, message) }

    static func wrong(_ kind: FieldKind, found: String) -> FormError {
        FormError(.here, "expected \(kind.words), found \(found).")
    }

    /// The same error in the object that has the value under this name.
    func inside(_ name: String) -> FormError {
        switch place {
        case .here: FormError(.field(name), message)
        case .field(let field): FormError(.field("\(name).\(field)"), message)
        case .none: self
        }
    }

    package var asCommandError: CommandError {
        guard case .field(let field) = place else { return CommandError(.badPayload, message) }
        return CommandError(.badPayload, "\(field): \(message)", field: field)
    }
}

extension Form {
    /// - Throws: `badPayload` for the first field that is wrong.
    package init(_ json: JSON, _ reading: Reading) throws(CommandError) {
        do throws(FormError) {
            self = try Self.read(json, reading, isInside: false)
        } catch {
            throw error.asCommandError
        }
    }

    /// The form as a tree.
    package var json: JSON { JSON(JSON.bytes(self)) ?? .null }

    package func writeFields(to json: inout JSONWriter) {
        // The writer reads the fields where they are: a copy of all of them would cost more than their text.
        withUnsafePointer(to: self) { subject in
            var writer = FormWriter(subject, &json)
            _ = Self(&writer)
            writer.end(&json)
        }
    }

    /// Its fields, for documents and for error texts.
    package static var description: FormDescription {
        var describer = FormDescriber<Self>()
        _ = Self(&describer)
        return describer.description
    }

    // MARK: As a value of a field

    package static func read(
        _ json: JSON, _ rule: AnyRule, _ reading: Reading
    ) throws(FormError) -> Self {
        try read(json, reading, isInside: true)
    }

    @inline(__always)
    private static func read(
        _ json: JSON, _ reading: Reading, isInside: Bool
    ) throws(FormError) -> Self {
        guard case .object(let object) = json else { throw .wrong(.object(nil), found: json.words) }
        var fields = FieldReader(object, reading, isInside: isInside)
        let form = fields.read(Self.self)
        try fields.end()
        return form
    }

    package func write(_ rule: AnyRule, to json: inout JSONWriter) {
        json.bracket("{")
        writeFields(to: &json)
        json.bracket("}")
    }

    package static func kind(_ rule: AnyRule) -> FieldKind { .object(description) }

    package static var sample: Self {
        var fields = FieldReader.ofSample
        return fields.read(Self.self)
    }
}
