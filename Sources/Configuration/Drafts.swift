internal import Settings

/// Settings in the making. Its initial values are the defaults.
protocol SettingsDraft: Sendable {
    init()
}

/// The agent's settings in the making, and the values of keys that aren't settings by themselves.
@dynamicMemberLookup struct AgentDraft: SettingsDraft {
    var settings = AgentSettings.standard
    /// The machine's name. Not a key.
    var hostName = ""
    /// The password is read later; see ``InputFile``.
    var passwordFile: String?
    private var tlsChoice: Bool?
    /// Whether TLS is used: as chosen, or if a file for it is named.
    var usesTLS: Bool {
        get { tlsChoice ?? (settings.mqtt.tls.caFile != nil || settings.mqtt.tls.certificateFile != nil) }
        set { tlsChoice = newValue }
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<AgentSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }

    /// The settings, without their cameras.
    var finished: AgentSettings {
        var settings = settings
        settings.mqtt.tls.isOn = usesTLS
        return settings
    }
}

/// One camera's settings in the making.
@dynamicMemberLookup struct CameraDraft: SettingsDraft {
    var settings = CameraSettings.standard
    var zoomMinimum = CameraSettings.standard.zoom.lowerBound
    var zoomMaximum = CameraSettings.standard.zoom.upperBound

    subscript<Value>(dynamicMember member: WritableKeyPath<CameraSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }

    /// With a zoom range that is empty when the two keys contradict each other.
    var finished: CameraSettings {
        var settings = settings
        settings.zoom = zoomMinimum...max(zoomMinimum, zoomMaximum)
        return settings
    }
}
