package import Settings

/// What a camera is and can do: its `info`.
package struct CameraInfo: Sendable, Equatable {
    package var name: String?
    package var model: String
    var bus: String
    package var serial: String
    package var position: String?
    package var kind: String?
    package var orientation: Orientation?
    package var groups: [String]?
    var nodes: [String]
    /// Nil: those of all clients, from an agent of an earlier version.
    package var clients: ClientMode?
    package var zoom: Zoom
    var formats: [Format]
    package var qualities: [String]
    package var recording: Recording
    var shutter: Shutter
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

extension CameraInfo: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        name = f.maybe("name", \.name, .title, "For people.")
        model = f("model", \.model, .any, "Of the device.")
        bus = f("bus", \.bus, .any, "Where it is plugged in.")
        serial = f("serial", \.serial, .any, "Empty: the device has none.")
        position = f.maybe(
            "position", \.position, .name, "Such as `front`.")
        kind = f.maybe("kind", \.kind, .name, "Such as `wide`.")
        orientation = f.maybe("orientation", \.orientation, .any, "Absent: none is configured.")
        groups = f.maybe("groups", \.groups, .some(.name), "To which it belongs.")
        nodes = f(
            "nodes", \.nodes, .each(.oneOf(Node.allCases.map(\.name) + [Topics.refresh])),
            "Which take commands; `refresh` has no state.")
        clients = f.newer("clients", \.clients, .any, "Whose commands it takes.")
        zoom = f("zoom", \.zoom, .any, "Its range, and what zooms.")
        formats = f("formats", \.formats, .each(.any), "That the device has.")
        qualities = f(
            "qualities", \.qualities, .each(.id), "What `session` takes: names, then sizes.")
        recording = f("recording", \.recording, .any, "The defaults of recordings.")
        shutter = f("shutter", \.shutter, .any, "Functions of the buttons.")
        privacy = f.maybe(
            "privacy", \.privacy, .any, "The camera's own control.")
        controls = f("controls", \.controls, .each(.any), "Their descriptors.")
    }

}

extension CameraInfo {
    package struct Actuator: Sendable, Equatable {
        package var kind: String
        package var max: Double
        package init(kind: String, max: Double) { (self.kind, self.max) = (kind, max) }
    }

    package struct Zoom: Sendable, Equatable {
        package var min: Double
        package var max: Double
        var handover: [Double]
        var actuators: [Actuator]
        var upscaleFrom: Double
        var gestureTimeoutMilliseconds: Int
        var liveRate: Double

        package init(
            min: Double, max: Double, handover: [Double], actuators: [Actuator], upscaleFrom: Double,
            gestureTimeoutMilliseconds: Int, liveRate: Double
        ) {
            (self.min, self.max, self.handover) = (min, max, handover)
            (self.actuators, self.upscaleFrom) = (actuators, upscaleFrom)
            (self.gestureTimeoutMilliseconds, self.liveRate) = (gestureTimeoutMilliseconds, liveRate)
        }
    }

    package struct Format: Sendable, Equatable {
        var pixelFormat: String
        var width: Int
        var height: Int
        var fps: [Double]

        package init(pixelFormat: String, width: Int, height: Int, fps: [Double]) {
            (self.pixelFormat, self.width, self.height, self.fps) = (pixelFormat, width, height, fps)
        }
    }

    package struct Orientation: Sendable, Equatable {
        var rotation: Int
        var mirrored: Bool
        var driver: Bool

        package init(rotation: Int, mirrored: Bool, driver: Bool) {
            (self.rotation, self.mirrored, self.driver) = (rotation, mirrored, driver)
        }
    }
}

extension CameraInfo.Actuator: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        kind = f(
            "kind", \.kind, .oneOf("absolute", "continuous", "selection", "simulated", "crop"),
            "A lens with a position, or a speed only; a crop by the camera; a simulated lens; a crop here."
        )
        max = f("max", \.max, .above(0), "Its largest factor.")
    }
}

extension CameraInfo.Zoom: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        min = f("min", \.min, .above(0), "The least factor.")
        max = f("max", \.max, .above(0), "The greatest factor.")
        handover = f(
            "handover", \.handover, .each(.above(0)), "Factors at which the next actuator takes over.")
        actuators = f("actuators", \.actuators, .each(.any), "What zooms, in that order.")
        upscaleFrom = f(
            "upscale_from", \.upscaleFrom, .above(0), "Beyond it the crop has fewer pixels than the picture.")
        gestureTimeoutMilliseconds = f(
            "gesture_timeout_ms", \.gestureTimeoutMilliseconds, .from(1), "Silence that ends a gesture.")
        liveRate = f("live_rate", \.liveRate, .above(0), "Samples per second on `zoom/live`.")
    }
}

extension CameraInfo.Format: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        width = f("width", \.width, .pixels, "Pixels.")
        height = f("height", \.height, .pixels, "Pixels.")
        fps = f("fps", \.fps, .each(.above(0)), "Rates.")
        pixelFormat = f("pixel_format", \.pixelFormat, .pixelFormat, "V4L2's code, with `-BE` if big-endian.")
    }
}

extension CameraInfo.Orientation: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        rotation = f("rotation", \.rotation, .within(0...270), "Degrees clockwise: 0, 90, 180 or 270.")
        mirrored = f("mirrored", \.mirrored, .any, "Left and right are exchanged, after it.")
        driver = f("driver", \.driver, .any, "The driver does all of it.")
    }
}

// MARK: Recordings and shutter

extension CameraInfo {
    /// The defaults of recordings.
    package struct Recording: Sendable, Equatable {
        var codec: RecordingCodec
        var maximumSeconds: Double
        var audio: Bool
        var quality: Int?
        var maximumBitRate: Int?
        /// Nil: from an agent of an earlier version.
        package var keyFrameSeconds: Double?
        package var encoder: String?

        package init(codec: RecordingCodec, maximumSeconds: Double, audio: Bool, encoding: RecordingEncoding)
        {
            (self.codec, self.maximumSeconds, self.audio) = (codec, maximumSeconds, audio)
            (quality, maximumBitRate) = (encoding.quality, encoding.maximumBitRate)
            keyFrameSeconds = encoding.keyFrameSeconds
        }
    }

    /// What the shutter's buttons do.
    package struct Shutter: Sendable, Equatable {
        var primary: ShutterAction
        var secondary: ShutterAction
        var longPressMilliseconds: Int?

        package init(_ settings: ShutterSettings) {
            (primary, secondary) = (settings.primary, settings.secondary)
            longPressMilliseconds = settings.longPress.map { Int($0 / .milliseconds(1)) }
        }
    }

    /// The camera's own privacy control.
    package struct Privacy: Sendable, Equatable {
        package enum Access: String, Sendable, FieldWord {
            /// The agent sets it.
            case settable
            /// Only a person can switch it, for example a slider in front of the lens.
            case readOnly = "read_only"
        }

        package var control: String
        package var access: Access

        package init(control: String, access: Access) { (self.control, self.access) = (control, access) }
    }
}

extension CameraInfo.Recording: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        codec = f("codec", \.codec, .any, "`h264` in MP4, or the camera's own JPEGs (`mjpeg`) in Matroska.")
        audio = f("audio", \.audio, .any, "There is a microphone.")
        quality = f.maybe("quality", \.quality, .recordingQuality, "Absent: 56 with `h264`, 90 with `mjpeg`.")
        encoder = f.maybe(
            "encoder", \.encoder, .filled, "Of the last file.")
        maximumSeconds = f(
            "max_duration_s", \.maximumSeconds, .recordingSeconds, "After which a recording ends.")
        maximumBitRate = f.maybe(
            "max_bit_rate", \.maximumBitRate, .bitRate, "Absent: no limit.")
        keyFrameSeconds = f.newer(
            "key_frame_interval_s", \.keyFrameSeconds, .keyFrameInterval,
            "`h264`: between key frames, at most.")
    }
}

extension CameraInfo.Shutter: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        primary = f("primary", \.primary, .any, "`record`: starts or ends a recording.")
        secondary = f("secondary", \.secondary, .any, "Likewise.")
        longPressMilliseconds = f.maybe(
            "long_press_ms", \.longPressMilliseconds, .from(1),
            "A longer press records until its end; absent: never.")
    }
}

extension CameraInfo.Privacy: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        control = f("control", \.control, .name, "Its name.")
        access = f("access", \.access, .any, "`read_only`: only a person can switch it.")
    }
}

// MARK: Controls

extension CameraInfo {
    package struct ControlDescriptor: Sendable, Equatable {
        package struct Option: Sendable, Equatable {
            package var value: Double
            package var title: String
            package init(value: Double, title: String) { (self.value, self.title) = (value, title) }
        }

        package var name: String
        package var title: String
        package var kind: String
        package var min: Double?
        package var max: Double?
        package var step: Double?
        package var values: [Double]?
        package var options: [Option]?
        package var `default`: ControlValue
        package var unit: String?
        package var enabled: Bool
        package var reason: String?
        package var readOnly: Bool?

        package init(name: String, title: String, kind: String, default value: ControlValue, enabled: Bool) {
            (self.name, self.title, self.kind) = (name, title, kind)
            (self.default, self.enabled) = (value, enabled)
        }
    }
}

extension CameraInfo.ControlDescriptor.Option: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        value = f("value", \.value, .any, "The control's value.")
        title = f("title", \.title, .any, "For people.")
    }
}

extension CameraInfo.ControlDescriptor: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        name = f("name", \.name, .name, "In `controls`.")
        title = f("title", \.title, .filled, "For people.")
        kind = f(
            "kind", \.kind, .oneOf("slider", "discrete", "picker", "toggle", "button", "text"),
            "`discrete`: one of the values; `picker`: one of the options; `text`: for display only.")
        min = f.maybe("min", \.min, .any, "Of a slider.")
        max = f.maybe("max", \.max, .any, "Of a slider.")
        step = f.maybe("step", \.step, .above(0), "Of a slider: from `min`.")
        values = f.maybe("values", \.values, .some(.any), "Of `discrete`, in this order.")
        options = f.maybe("options", \.options, .some(.any), "Of a picker.")
        `default` = f("default", \.default, .any, "Its first value.")
        unit = f.maybe("unit", \.unit, .filled, "Of its values.")
        enabled = f("enabled", \.enabled, .any, "Can be set now.")
        reason = f.maybe("reason", \.reason, .filled, "Why it can't be set.")
        readOnly = f.maybe("read_only", \.readOnly, .onlyTrue, "It can never be set.")
        for (field, owner) in [
            ("min", "slider"), ("max", "slider"), ("step", "slider"), ("values", "discrete"),
            ("options", "picker"),
        ] {
            f.demand(field, when: .equal("kind", .text(owner)), "required for a \(owner).")
            f.refuse([field], when: .unequal("kind", .text(owner)), "allowed only for a \(owner).")
        }
    }
}
