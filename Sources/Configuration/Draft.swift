internal import Settings

/// Settings in the making, and the values of keys that aren't settings by themselves. The initial values are
/// the defaults.
@dynamicMemberLookup struct Draft: Sendable {
    /// Those of the agent, without its cameras.
    var settings = AgentSettings.standard
    /// The machine's name. Not a key.
    var hostName = ""
    /// Where the state, photos and recordings are, unless keys say otherwise. Not a key.
    var defaultFolder = ""
    /// The password is read later; see ``InputFile``.
    var passwordFile: String?
    private var tlsChoice: Bool?
    /// Whether TLS is used: as chosen, or if a file for it is named.
    var usesTLS: Bool {
        get { tlsChoice ?? (settings.mqtt.tls.caFile != nil || settings.mqtt.tls.certificateFile != nil) }
        set { tlsChoice = newValue }
    }

    /// One of the cameras.
    var camera = CameraSettings.standard
    var zoomMinimum = CameraSettings.standard.zoom.lowerBound
    var zoomMaximum = CameraSettings.standard.zoom.upperBound

    subscript<Value>(dynamicMember member: WritableKeyPath<AgentSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }
}
