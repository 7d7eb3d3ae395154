package import ZoomModel

// The values of the zoom model as messages have them.

extension Point: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        json.field("x", x.forMessages)
        json.field("y", y.forMessages)
    }
}

extension Viewport: FrequentMessage {
    /// As precise as it is published.
    package var forMessages: Viewport {
        Viewport(
            x: x.forMessages, y: y.forMessages, width: width.forMessages, height: height.forMessages)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("x", x.forMessages)
        json.field("y", y.forMessages)
        json.field("width", width.forMessages)
        json.field("height", height.forMessages)
    }
}

extension Origin: FrequentMessage, Decodable {
    private enum CodingKeys: String, CodingKey { case client, proved, id, kind }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let isProved = try fields.decodeIfPresent(Bool.self, forKey: .proved) ?? false
        self.init(
            client: try fields.decodeIfPresent(String.self, forKey: .client).map {
                ClientIdentity(stored: $0, isProved: isProved)
            },
            id: try fields.decodeIfPresent(String.self, forKey: .id),
            // An agent of a later version may have further kinds.
            kind: Kind(rawValue: try fields.decode(String.self, forKey: .kind)) ?? .external)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("client", client?.name)
        json.field("proved", client?.isProved)
        json.field("id", id)
        json.field("kind", kind.rawValue)
    }
}
