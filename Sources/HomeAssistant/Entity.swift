/// One entity of a camera: a component of the device's document.
struct Entity: Equatable {
    enum Platform: String, CaseIterable {
        case number, select, `switch`, button, text, sensor, image, camera, event
        case binarySensor = "binary_sensor"
    }

    enum Category: String { case config, diagnostic }

    let platform: Platform
    /// Its name in the document: `[a-z0-9_]+`.
    let id: String
    /// The end of its entity id, as `zoom`.
    var slug: String
    let name: String
    let icon: String?
    var category: Category?
    /// Whether it is enabled by default.
    var isEnabled = true
    /// What is its platform's own.
    var fields: Object

    init(
        _ platform: Platform, _ id: String, slug: String? = nil, _ name: String, icon: String? = nil,
        category: Category? = nil, isEnabled: Bool = true, _ fields: Object
    ) {
        (self.platform, self.id, self.slug) = (platform, id, slug ?? id)
        (self.name, self.icon, self.category, self.isEnabled) = (name, icon, category, isEnabled)
        self.fields = fields
    }

    /// As the device's document has it.
    func component(of identity: Identity) -> Object {
        var component: Object = [
            "p": .text(platform.rawValue),
            "uniq_id": "\(identity.device)_HAS_\(id)",
            // 2025 knows the one, what comes after 2026 only the other, and between them the first alone is
            // warned of.
            "obj_id": "\(identity.slug)_\(slug)",
            "def_ent_id": "\(platform.rawValue).\(identity.slug)_\(slug)",
            "name": .text(name),
        ]
        component["ic"] = icon.map { "mdi:\($0)" }
        component["ent_cat"] = category.map { .text($0.rawValue) }
        if !isEnabled { component["en"] = false }
        // Not taken over from the document's top.
        if platform != .camera && platform != .image { component["qos"] = 1 }
        for name in fields.names { component[name] = fields[name] }
        return component
    }
}
