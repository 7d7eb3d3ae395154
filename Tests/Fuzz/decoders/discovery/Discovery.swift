import Contract

@testable import FrontEnds

/// A camera with hostile names, as Home Assistant discovers it: whatever a device, a client or a quality is
/// called, the document is JSON, its identifiers and topics have only the characters that they may have, and
/// its templates are those of a camera with harmless names, except for their string literals.
func checkDiscovery(_ bytes: [UInt8]) {
    let names = Names(bytes)
    let (hostile, harmless) = (device(names), device(names.harmless))
    let (one, other) = (hostile.document(), harmless.document())
    expect(JSON.isObject(JSON.bytes(JSON.object(one))), "the document is no JSON")
    expect(hostile.components == harmless.components, "names change the components")
    for (id, fields) in components(of: one) {
        check(fields, of: id)
        compareTemplates(.object(fields), other["cmps"]?.object?[id] ?? .null, in: id)
    }
}

private func components(of document: JSONObject) -> [(id: String, fields: JSONObject)] {
    let all = document["cmps"]?.object ?? [:]
    return all.names.map { ($0, all[$0]?.object ?? [:]) }
}

private let identity = HomeAssistantIdentity(base: "v4l2mqtt", agent: "porch", camera: "front-door")

private func device(_ names: Names) -> DiscoveredDevice {
    DiscoveredDevice(
        identity: identity, topics: Topics(base: "v4l2mqtt", agent: "porch"), camera: "front-door",
        client: "homeassistant", isProved: true, version: "1.0.0", info: names.info,
        disabledControls: Set(names.info.controls.map(\.name)), presets: names.presets)
}

/// The identifiers and topics of a component.
private func check(_ fields: JSONObject, of id: String) {
    expect(isIdentifier(id, besides: "_"), "the component \(id)")
    for name in fields.names {
        guard case .text(let text)? = fields[name] else { continue }
        switch name {
        case "p": expect(isIdentifier(text, besides: "_"), "the platform \(text)")
        case "uniq_id": expect(text == "\(identity.device)_HAS_\(id)", "the unique id \(text)")
        case "obj_id": expect(isIdentifier(text, besides: "_"), "the object id \(text)")
        case "def_ent_id": expect(isIdentifier(text, besides: "_."), "the entity id \(text)")
        case "ic": expect(isIdentifier(text, besides: "-:"), "the icon \(text)")
        case _ where name.hasSuffix("_t") || name == "t": checkTopic(text, id)
        default: break
        }
    }
}

private func checkTopic(_ topic: String, _ component: String) {
    expect(
        topic.hasPrefix("v4l2mqtt/porch/") && isIdentifier(topic, besides: "_-/"),
        "\(component): the topic \(topic)")
}

private func isIdentifier(_ text: String, besides others: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || others.utf8.contains($0)
        }
}

/// The fields of an entity id that does not follow from the names.
private let idFields: Set = ["obj_id", "def_ent_id"]

/// Compares the texts of two values that Home Assistant takes for templates, payloads or conditions.
private func compareTemplates(_ one: JSON, _ other: JSON, in place: String) {
    switch (one, other) {
    case (.object(let fields), .object(let others)):
        expect(
            fields.names.filter { !idFields.contains($0) } == others.names.filter { !idFields.contains($0) },
            "\(place): names change the fields")
        for name in fields.names {
            guard let value = fields[name], let same = others[name] else { continue }
            let isTemplate = name.hasSuffix("tpl") || name.hasPrefix("pl_") || name.hasPrefix("stat_")
            if isTemplate, case .text(let text) = value, case .text(let harmless) = same {
                expect(
                    skeleton(of: text) == skeleton(of: harmless),
                    "\(place).\(name): a name is more than a literal in \(text.debugDescription)")
            } else {
                compareTemplates(value, same, in: "\(place).\(name)")
            }
        }
    case (.list(let values), .list(let others)):
        expect(values.count == others.count, "\(place): names change the number of values")
        for (value, same) in zip(values, others) { compareTemplates(value, same, in: place) }
    case (.text, .text), (.number, .number), (.integer, .integer), (.flag, .flag): break
    default: fatalError("\(place): names change the kind of a value")
    }
}

/// A template without the contents of the string literals in its expressions, which end as in Jinja's lexer:
/// `'([^'\\]*(?:\\.[^'\\]*)*)'`.
private func skeleton(of template: String) -> String {
    var skeleton = String.UnicodeScalarView()
    var isInExpression = false
    var quote: Unicode.Scalar?
    var scalars = Array(template.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
        if let end = quote {
            if scalar == "\\" { _ = scalars.popFirst() }
            guard scalar == end else { continue }
            quote = nil
        } else if isInExpression, scalar == "'" || scalar == "\"" {
            quote = scalar
        } else if scalar == "{", scalars.first == "{" || scalars.first == "%" || scalars.first == "#" {
            isInExpression = true
        } else if scalar == "}", scalars.first == "}" {
            // A dictionary may end just before; then this is not the end yet, and the next one is.
            isInExpression = scalars.dropFirst().first == "}"
        }
        skeleton.append(scalar)
    }
    return String(skeleton) + (quote.map { "unclosed \($0)" } ?? "")
}
