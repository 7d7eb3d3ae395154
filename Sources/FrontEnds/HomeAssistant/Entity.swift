internal import Contract

/// One entity of a camera: a component of the device's document.
struct Entity {
    /// Its name in the document: `[a-z0-9_]+`.
    let id: String
    /// The end of its entity id, as `zoom`.
    var slug: String
    /// As the document has them, without those that follow from the identity of the camera.
    var fields: JSONObject

    var platform: String { fields["p"]?.text ?? "" }

    /// The component as the device's document contains it.
    func component(of identity: HomeAssistantIdentity) -> JSONObject {
        var component: JSONObject = ["p": .text(platform), "uniq_id": "\(identity.device)_HAS_\(id)"]
        // Home Assistant makes the id of the names of device and entity, unless it gets one. Before 2025.10
        // it reads only `obj_id`, after 2026 only `def_ent_id`. Between them, the first without the second
        // causes a warning.
        let entityID = "\(identity.slug)_\(slug)"
        if identity.entityID(ofName: fields["name"]?.text ?? "") != entityID {
            component["obj_id"] = .text(entityID)
            component["def_ent_id"] = "\(platform).\(entityID)"
        }
        for name in fields.names { component[name] = fields[name] }
        return component
    }
}
