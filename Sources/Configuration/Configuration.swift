/// Everything that a user can decide, checked: what is in here can be used as it is.
package struct Configuration: Sendable {
    /// The agent's name in its topics: 1 to 64 of `a-z0-9_-`, never `groups`.
    package var agent: String
    package var mqtt: MQTT
    /// A path; relative ones are relative to the working folder by now.
    package var stateFile: String
    package var captures: Captures
    package var recordings: Recordings
    package var log: Log
    package var zoom: Zoom
    /// Commands that each client may send in a second.
    package var commandRate: Int
    package var homeAssistant: HomeAssistant
    /// At least one; their ids differ.
    package var cameras: [Camera]
    /// Nobody said which cameras: every one that is found is to be served. ``cameras`` has one to take its settings from.
    package var servesAll: Bool

    /// Each key in the order of the table, as ``effective()`` shows it.
    let settled: [SettledKey]

    package struct MQTT: Sendable {
        package var host: String
        package var port: Int
        package var protocolVersion: ProtocolVersion
        /// At most 128 bytes; no wildcards, no slash at either end.
        package var baseTopic: String
        package var clientID: String
        package var username: String?
        /// Read from the password file, without one newline at its end.
        package var password: Secret?
        /// In seconds, 5 to 65,535.
        package var keepalive: Int
        /// Nil: no TLS.
        package var tls: TLS?

        package enum ProtocolVersion: String, CaseIterable, Sendable {
            case v5 = "5"
            case v311 = "3.1.1"
        }
    }

    package struct TLS: Sendable {
        /// A readable PEM file.
        package var caFile: String
        /// Readable PEM files with the agent's own certificate and its key.
        package var identity: (certFile: String, keyFile: String)?
    }

    package struct Captures: Sendable {
        package var directory: String
        package var maxBytes: Int
        package var retainImage: Bool
    }

    package struct Recordings: Sendable {
        package var directory: String
        /// Of all recordings together; at least ``maxFileBytes``.
        package var maxBytes: Int
        /// Of one.
        package var maxFileBytes: Int
        /// Seconds, 1 to 86,400.
        package var maxSeconds: Double
        package var codec: Codec

        package enum Codec: String, CaseIterable, Sendable {
            case h264, mjpeg
        }
    }

    package struct Log: Sendable {
        package var level: Level
        package var format: Format

        /// The levels of swift-log, with its names.
        package enum Level: String, CaseIterable, Sendable {
            case trace, debug, info, notice, warning, error, critical
        }
        package enum Format: String, CaseIterable, Sendable {
            case text, json
        }
    }

    package struct Zoom: Sendable {
        /// Samples per second on `zoom/live`, 1 to 120.
        package var liveRate: Double
        /// The silence after which a gesture is over.
        package var gestureTimeout: Duration
    }

    package struct HomeAssistant: Sendable {
        /// Whether it is told of the cameras.
        package var discovery: Bool
        /// No wildcards, no slash at either end.
        package var prefix: String
        /// Frames per second, 0.1 to 60; nil: none without asking.
        package var previewRate: Double?
    }

    package struct Camera: Sendable {
        /// 1 to 64 of `a-z0-9_-`.
        package var id: String
        /// Never empty; the first that is there is taken.
        package var sources: [Source]
        /// A readable file; nil: a generated scene.
        package var image: String?
        /// Different names of 1 to 64 of `a-z0-9_-`.
        package var groups: [String]
        /// Factors; 1 ≤ lower bound < upper bound ≤ 100.
        package var zoom: ClosedRange<Double>
        /// What a person calls its place and its kind.
        package var position: String?
        package var kind: String?
        package var external: External
        /// Whether Home Assistant is told of it.
        package var discovery: Bool
        package var device: Device
        /// An ALSA device; nil: recordings have no sound.
        package var microphone: String?
        package var shutter: Shutter
        package var simulation: Simulation
    }

    /// What to do when somebody else moves a camera.
    package enum External: String, CaseIterable, Sendable {
        case follow, reassert
    }

    /// What a camera's shutter buttons do.
    package struct Shutter: Sendable, Equatable {
        package enum Action: String, CaseIterable, Sendable {
            case photo, record
        }

        package var primary: Action
        /// Nil: the same as ``primary``.
        package var secondary: Action?
        /// Held for so long, a button records; zero: never.
        package var longPress: Duration
        /// `default`, `none`, or a name of the user's own.
        package var sound: String
        package var buttons: [Button]
    }

    /// A topic of the bus that is a shutter button, and what the words mean that come on it.
    package struct Button: Sendable, Equatable {
        package enum Role: String, CaseIterable, Sendable {
            case primary, secondary
        }

        /// No wildcards.
        package var topic: String
        /// The field of a JSON object that has the word, with dots between levels; nil: the payload is the word.
        package var field: String?
        /// Words for a press that is over as soon as it is heard, for its beginning, its end, and a mistake.
        package var press: [String] = []
        package var began: [String] = []
        package var ended: [String] = []
        package var cancelled: [String] = []
        package var role = Role.primary
        /// Nobody looks at the camera when pressing it.
        package var isRemote = true
    }

    /// How a V4L2 device is used.
    package struct Device: Sendable, Equatable {
        package enum Stream: String, CaseIterable, Sendable {
            case onDemand = "on_demand"
            case always
        }

        /// Pixels, at the most.
        package var width: Int
        package var height: Int
        /// Frames per second.
        package var rate: Double
        /// Four letters.
        package var pixelFormat: String?
        package var input: Int?
        package var stream: Stream
        /// Units of the lens and the factors there; units and factors rise. Empty: nothing is known.
        package var calibration: [CalibrationPoint]
        /// Of a lens that has only a speed: octaves per second at the slowest, and its longest factor.
        package var continuousRate: Double?
        package var continuousMax: Double?
    }

    /// One unit of a lens, and the factor there.
    package struct CalibrationPoint: Sendable, Equatable {
        package var raw: Int64
        package var factor: Double
    }

    /// Where a camera's frames come from.
    package enum Source: Sendable, Equatable {
        case simulated
        /// A device's path, such as `/dev/video0` or one under `/dev/v4l/by-id`.
        case v4l2(path: String)
        /// A camera is followed by its serial number, whatever its device is called.
        case serial(String)
    }

    /// How a simulated camera behaves.
    package struct Simulation: Sendable, Equatable {
        /// The greatest factor of the lens; the rest of the zoom is digital.
        package var opticalMax: Double
        /// Octaves (powers of two) per second; 0: at once.
        package var lensSpeed: Double
        /// How long each setting takes.
        package var writeLatency: Duration
        /// Frames per second.
        package var frameRate: Int
        /// Of a frame, in pixels, even; nil: as the image has it, or 1920 × 1080.
        package var width: Int?
        package var height: Int?
        package var fault: Fault

        package enum Fault: String, CaseIterable, Sendable {
            case none
            case writeError = "write_error"
            case frameError = "frame_error"
            case modeError = "mode_error"
        }
    }
}

/// Text that must not get into a log or onto a screen.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
