package import Settings

/// The `info` of an agent.
package struct AgentInfo: Sendable, Equatable, Codable {
    var agent: String
    /// For people; nil: it has none.
    package var name: String?
    var version: String
    /// The level of the contract between agents and controllers.
    var `protocol`: Int
    var host: String
    package var cameras: [String]
    /// Which commands it takes; nil: those of all clients, from an agent of an earlier version.
    var clients: ClientMode?
    var started: String
    /// Nil: from an agent of an earlier version.
    var clock: ClockFields?
    /// Another text on each device, which the state keeps: two devices with one name are told apart by it.
    /// Nil: from an agent of an earlier version.
    var instance: String?
    /// Another text in each run of the program. Nil: from an agent of an earlier version.
    var run: String?
    /// No revision of a camera that was given out is above it. Nil: from an agent of an earlier version.
    var numbers: Int?
    /// Nil: no other device uses the agent's name, as far as is known.
    package var sameName: SameNameFields?
    /// Nil: the fleet has no configuration.
    package var fleet: FleetFields?
    /// What is wrong with the whole agent, for people; nil: nothing is known.
    package var problem: String?

    private enum CodingKeys: String, CodingKey {
        case agent, name, version, `protocol`, host, cameras, clients, started, clock, instance, run, numbers,
            fleet
        case problem
        case sameName = "same_name"
    }

    /// Whether it takes only commands whose topic names the client.
    package var takesOnlyProvedClients: Bool { clients == .proved }

    package init(
        agent: String, name: String? = nil, version: String, protocol level: Int, host: String,
        cameras: [String],
        clients: ClientMode?, started: String, clock: ClockFields? = nil, instance: String? = nil,
        run: String? = nil, numbers: Int? = nil, sameName: SameNameFields? = nil, fleet: FleetFields? = nil,
        problem: String? = nil
    ) {
        (self.instance, self.run, self.numbers) = (instance, run, numbers)
        (self.sameName, self.fleet, self.problem) = (sameName, fleet, problem)
        (self.agent, self.name, self.version, self.protocol, self.host) = (agent, name, version, level, host)
        (self.cameras, self.clients, self.started, self.clock) = (cameras, clients, started, clock)
    }
}

/// How far the clock of the agent's machine can be trusted.
package struct ClockFields: Sendable, Equatable, Codable {
    /// Whether the kernel counts the clock as synchronised.
    package var isSynchronized: Bool
    /// The largest error of the clock, in milliseconds, as its synchronisation reports it to the kernel; nil:
    /// the clock isn't synchronised.
    package var errorMilliseconds: Double?

    private enum CodingKeys: String, CodingKey {
        case isSynchronized = "synchronized"
        case errorMilliseconds = "error_ms"
    }

    package init(isSynchronized: Bool, errorMilliseconds: Double?) {
        (self.isSynchronized, self.errorMilliseconds) = (isSynchronized, errorMilliseconds)
    }
}

/// Another device that uses the name of an agent.
package struct SameNameFields: Sendable, Equatable, Codable {
    /// Its host name; nil: it isn't known.
    package var host: String?
    /// When the last sign of it was noticed.
    package var at: String

    package init(host: String?, at: String) { (self.host, self.at) = (host, at) }
}

/// The configuration of the fleet (`fleet/config`) at an agent.
package struct FleetFields: Sendable, Equatable, Codable {
    package struct Refusal: Error, Equatable, Codable {
        /// Nil: the document has none that can be read.
        package var version: Int?
        package var error: CommandError

        package init(version: Int?, error: CommandError) { (self.version, self.error) = (version, error) }
    }

    /// The version in effect; nil: none is.
    package var version: Int?
    /// The newest document, if it is not applied.
    package var refused: Refusal?

    package init(version: Int? = nil, refused: Refusal? = nil) {
        (self.version, self.refused) = (version, refused)
    }
}

/// What a camera is and can do.
package struct CameraInfo: Sendable, Equatable, Codable {
    package struct Actuator: Sendable, Equatable, Codable {
        /// `absolute`, `continuous`, `selection`, `simulated` or `crop`.
        package var kind: String
        /// Its largest factor.
        package var max: Double
        package init(kind: String, max: Double) { (self.kind, self.max) = (kind, max) }
    }

    package struct Zoom: Sendable, Equatable, Codable {
        package var min: Double
        package var max: Double
        /// The factors at which one actuator hands over to the next.
        var handover: [Double]
        /// What zooms, in that order.
        var actuators: [Actuator]
        /// Beyond this factor the crop has fewer pixels than the picture that is made of it.
        var upscaleFrom: Double
        var gestureTimeoutMilliseconds: Int
        var liveRate: Double

        private enum CodingKeys: String, CodingKey {
            case min, max, handover, actuators
            case upscaleFrom = "upscale_from"
            case gestureTimeoutMilliseconds = "gesture_timeout_ms"
            case liveRate = "live_rate"
        }

        package init(
            min: Double, max: Double, handover: [Double], actuators: [Actuator], upscaleFrom: Double,
            gestureTimeoutMilliseconds: Int,
            liveRate: Double
        ) {
            (self.min, self.max, self.handover) = (min, max, handover)
            (self.actuators, self.upscaleFrom) = (actuators, upscaleFrom)
            (self.gestureTimeoutMilliseconds, self.liveRate) = (gestureTimeoutMilliseconds, liveRate)
        }
    }

    package struct Format: Sendable, Equatable, Codable {
        var pixelFormat: String
        var width: Int
        var height: Int
        var fps: [Double]

        private enum CodingKeys: String, CodingKey {
            case width, height, fps
            case pixelFormat = "pixel_format"
        }

        package init(pixelFormat: String, width: Int, height: Int, fps: [Double]) {
            (self.pixelFormat, self.width, self.height, self.fps) = (pixelFormat, width, height, fps)
        }
    }

    /// The defaults of recordings.
    package struct Recording: Sendable, Equatable, Codable {
        var codec: RecordingCodec
        var maximumSeconds: Double
        /// Whether there is a microphone.
        var audio: Bool
        /// Nil: it depends on the codec.
        var quality: Int?
        /// Bits per second; nil: there is no limit.
        var maximumBitRate: Int?
        /// Nil: from an agent of an earlier version.
        package var keyFrameSeconds: Double?
        /// The encoder of the last recording that was encoded; nil: there was none since the start.
        package var encoder: String?

        private enum CodingKeys: String, CodingKey {
            case codec, audio, quality, encoder
            case maximumSeconds = "max_duration_s"
            case maximumBitRate = "max_bit_rate"
            case keyFrameSeconds = "key_frame_interval_s"
        }

        package init(codec: RecordingCodec, maximumSeconds: Double, audio: Bool, encoding: RecordingEncoding)
        {
            (self.codec, self.maximumSeconds, self.audio) = (codec, maximumSeconds, audio)
            (quality, maximumBitRate) = (encoding.quality, encoding.maximumBitRate)
            keyFrameSeconds = encoding.keyFrameSeconds
        }
    }

    /// What the shutter's buttons do.
    package struct Shutter: Sendable, Equatable, Codable {
        var primary: ShutterAction
        var secondary: ShutterAction
        /// A button that is held for this duration records until it is released; nil: never.
        var longPressMilliseconds: Int?

        private enum CodingKeys: String, CodingKey {
            case primary, secondary
            case longPressMilliseconds = "long_press_ms"
        }

        package init(_ settings: ShutterSettings) {
            (primary, secondary) = (settings.primary, settings.secondary)
            longPressMilliseconds = settings.longPress.map { Int($0 / .milliseconds(1)) }
        }
    }

    /// The camera's own privacy control.
    package struct Privacy: Sendable, Equatable, Codable {
        package enum Access: String, Sendable, Codable, CaseIterable {
            /// The agent sets it.
            case settable
            /// Only a person can switch it, for example a slider in front of the lens.
            case readOnly = "read_only"
        }

        /// The control's name in `controls`.
        package var control: String
        package var access: Access

        package init(control: String, access: Access) { (self.control, self.access) = (control, access) }
    }

    package struct ControlDescriptor: Sendable, Equatable, Codable {
        package struct Option: Sendable, Equatable, Codable {
            package var value: Double
            package var title: String
            package init(value: Double, title: String) { (self.value, self.title) = (value, title) }
        }

        package var name: String
        package var title: String
        /// `slider`, `discrete`, `picker`, `toggle`, `button` or `text`.
        package var kind: String
        package var min: Double?
        package var max: Double?
        package var step: Double?
        package var values: [Double]?
        package var options: [Option]?
        package var `default`: ControlValue
        package var unit: String?
        /// Whether it can be set at the moment; controls that can't are shown all the same.
        package var enabled: Bool
        /// Why it can't.
        package var reason: String?
        /// Whether it can never be set; nil: it can, at times.
        package var readOnly: Bool?

        private enum CodingKeys: String, CodingKey {
            case name, title, kind, min, max, step, values, options, `default`, unit, enabled, reason
            case readOnly = "read_only"
        }

        package init(name: String, title: String, kind: String, default value: ControlValue, enabled: Bool) {
            (self.name, self.title, self.kind) = (name, title, kind)
            (self.default, self.enabled) = (value, enabled)
        }
    }

    /// How the picture is turned.
    package struct Orientation: Sendable, Equatable, Codable {
        /// Degrees clockwise: 0, 90, 180 or 270.
        var rotation: Int
        /// Whether left and right are exchanged after that.
        var mirrored: Bool
        /// Whether the driver does all of it.
        var driver: Bool

        package init(rotation: Int, mirrored: Bool, driver: Bool) {
            (self.rotation, self.mirrored, self.driver) = (rotation, mirrored, driver)
        }
    }

    /// For people; nil: it has none.
    package var name: String?
    package var model: String
    var bus: String
    package var serial: String
    /// The names of the camera's place, such as `front`, and of its kind, such as `wide`: as configured for
    /// the camera, or else of its device.
    package var position: String?
    package var kind: String?
    /// Nil: none is configured.
    package var orientation: Orientation?
    /// The groups to which the camera belongs; nil: none, or an agent of an earlier version.
    package var groups: [String]?
    var nodes: [String]
    /// Which commands it takes; nil: those of all clients, from an agent of an earlier version.
    package var clients: ClientMode?
    package var zoom: Zoom
    var formats: [Format]
    /// The qualities that `session` takes: names first, then the camera's own sizes.
    package var qualities: [String]
    package var recording: Recording
    var shutter: Shutter
    /// Nil: the camera has no privacy control.
    package var privacy: Privacy?
    package var controls: [ControlDescriptor]

    package init(
        model: String, bus: String, serial: String, nodes: [String], clients: ClientMode?, zoom: Zoom,
        formats: [Format],
        qualities: [String], recording: Recording, shutter: Shutter, controls: [ControlDescriptor]
    ) {
        (self.model, self.bus, self.serial, self.nodes) = (model, bus, serial, nodes)
        self.clients = clients
        (self.zoom, self.formats, self.controls) = (zoom, formats, controls)
        (self.qualities, self.recording, self.shutter) = (qualities, recording, shutter)
    }
}
