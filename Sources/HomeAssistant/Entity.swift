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
    /// The fields that only its platform has.
    var fields: Object

    init(
        _ platform: Platform, _ id: String, slug: String? = nil, _ name: String, icon: String? = nil,
        category: Category? = nil, isEnabled: Bool = true, _ fields: Object
    ) {
        (self.platform, self.id, self.slug) = (platform, id, slug ?? id)
        (self.name, self.icon, self.category, self.isEnabled) = (name, icon, category, isEnabled)
        self.fields = fields
    }

    /// The component as the device's document contains it.
    func component(of identity: HomeAssistantIdentity) -> Object {
        var component: Object = [
            "p": .text(platform.rawValue),
            "uniq_id": "\(identity.device)_HAS_\(id)",
        ]
        // Home Assistant makes the id of the names of device and entity, unless it gets one. Before 2025.10
        // it reads only `obj_id`, after 2026 only `def_ent_id`. Between them, the first without the second
        // causes a warning.
        let entityID = "\(identity.slug)_\(slug)"
        if identity.entityID(ofName: name) != entityID {
            component["obj_id"] = .text(entityID)
            component["def_ent_id"] = "\(platform.rawValue).\(entityID)"
        }
        component["name"] = .text(name)
        component["ic"] = icon.map { "mdi:\($0)" }
        component["ent_cat"] = category.map { .text($0.rawValue) }
        if !isEnabled { component["en"] = false }
        // It is not inherited from the top of the document. A lost state that is retained comes again with
        // the next connection; commands and events do not.
        if platform == .event || fields["cmd_t"] != nil || fields["cmd_tpl"] != nil || fields["pl_prs"] != nil
        {
            component["qos"] = 1
        }
        for name in fields.names { component[name] = fields[name] }
        return component
    }
}
