/// One step of a sequence.
package enum Step: CustomStringConvertible {
    /// Published by a client. `$REV`, `$NOW`, `$SOON`, `$LATER` and `$PAST` in the payload stand for the
    /// present `rev` and for times of day.
    case publish(StageMessage)
    /// The same message so many times.
    case flood(StageMessage, Int)
    case device(DeviceEffect, camera: String)
    case pass(Duration)
    case stop

    package var description: String {
        switch self {
        case .publish(let message): "> \(message.line)"
        case .flood(let message, let count): "> \(count) times \(message.line)"
        case .device(let effect, let camera): "* \(camera): \(effect)"
        case .pass(let time): "+ \(time)"
        case .stop: "stop"
        }
    }
}

/// Random steps from a seed: the same seed gives the same steps.
package struct Traffic {
    package static let cameras = ["door", "gate"]
    private static let operations = [
        "lens", "lens", "stop", "controls", "controls", "mode", "frame", "encode", "measure", "store",
        "discard", "preview", "recordingFrame", "recordingEnd", "inspection", "outputOpen", "output", "count",
        "file", "hash",
    ]

    private let options: Configuration
    private var chance: Chance
    private var commands: Commands

    package init(seed: UInt64) {
        options = Configuration(seed: seed)
        chance = Chance(seed: seed)
        commands = Commands(Chance(seed: ~seed), isProved: options.isProved)
    }

    package var configuration: [(String, String)] { options.values }

    /// The first devices, random steps, and the end: everything works again, and the agent stops.
    package mutating func steps(_ count: Int) -> [Step] {
        var steps: [Step] = []
        for camera in Self.cameras where chance.happens(90) { steps.append(attach(camera)) }
        steps.append(.pass(.milliseconds(chance.pick([0, 200, 7_000]))))
        for _ in 0..<count { steps.append(step()) }
        if chance.happens(15) { steps += [.stop, step(), step(), step()] }
        return steps + end()
    }

    private func end() -> [Step] {
        let undo = ["full off", "refuse off", "damage off"].map {
            Step.device(DeviceEffect($0), camera: "door")
        }
        let freed = Traffic.cameras.flatMap { camera in
            (Array(Set(Self.operations)).sorted().flatMap { ["work \($0)", "free \($0)"] }).map {
                Step.device(DeviceEffect($0), camera: camera)
            }
        }
        return undo + freed + [.pass(.seconds(25)), .stop, .pass(.seconds(15))]
    }

    private mutating func step() -> Step {
        switch chance.below(1_000) {
        case 0..<560: return .publish(commands.message(to: camera()))
        case 560..<585: return .publish(commands.messageElsewhere())
        case 585..<590:
            return .flood(commands.message(to: camera()), options.hasLowLimits ? 15 : chance.pick([2, 40]))
        case 590..<730: return .pass(pause())
        case 730..<760: return attach(camera())
        case 760..<780: return effect(chance.pick(["unplug", "unplug", "absent", "replace", "break"]))
        case 780..<830: return effect("hold \(operation())")
        case 830..<880: return effect("release \(operation())")
        case 880..<930: return effect("free \(operation())")
        case 930..<940: return effect("fail \(operation())")
        case 940..<945: return effect("disable \(chance.pick(["controls", "mode", "lens"]))")
        case 945..<965: return effect("work \(operation())")
        default: return disturbance()
        }
    }

    private mutating func disturbance() -> Step {
        let state = chance.happens(40) ? "on" : "off"
        switch chance.below(20) {
        case 0, 1: return effect("begin")
        case 2, 3: return effect("lens \(chance.number(1, 4))\(chance.happens(50) ? " moving" : "")")
        case 4: return effect("take \(chance.number(1, 4))")
        case 5, 6: return effect("turn \(chance.pick(["brightness", "bias"])) \(chance.pick([-1, 0, 1]))")
        case 7: return effect("damage \(state)")
        case 8: return effect("dark \(state)")
        case 9, 10: return effect("fill")
        case 11: return effect("refuse \(state)")
        case 12: return effect("read \(state)")
        case 13, 14: return effect("full \(state)")
        case 15: return effect("lose")
        case 16: return effect(chance.happens(10) ? "lose taken" : "lose")
        default: return effect("clock \(state)")
        }
    }

    private mutating func camera() -> String { chance.happens(65) ? "door" : "gate" }

    private mutating func operation() -> String { chance.pick(Self.operations) }

    private mutating func effect(_ words: String) -> Step { .device(DeviceEffect(words), camera: camera()) }

    private mutating func attach(_ camera: String) -> Step {
        let video = camera == "gate" && options.hasVideo ? " video" : ""
        return .device(DeviceEffect("attach \(chance.happens(70) ? 4 : 1)\(video)"), camera: camera)
    }

    private mutating func pause() -> Duration {
        switch chance.below(20) {
        case 0..<4: .zero
        case 4..<10: .milliseconds(1 + chance.below(40))
        case 10..<18: .milliseconds(40 + chance.below(1_460))
        case 18: .milliseconds(1_500 + chance.below(4_500))
        default: .milliseconds(chance.happens(20) ? 65_000 : 3_000)
        }
    }
}

/// The configuration of a sequence's agent, as keys and values.
struct Configuration {
    private(set) var values = [
        ("agent", "porch"), ("cameras.0.id", "door"), ("cameras.0.groups", "[all, front]"),
        ("cameras.1.id", "gate"), ("cameras.1.groups", "[all]"), ("recordings.max_duration_s", "4"),
        (
            "cameras.0.shutter.buttons",
            "[{ topic: remote/button, field: action, press: single, began: hold, ended: release }]"
        ),
    ]
    private(set) var isProved = false
    private(set) var hasLowLimits = false
    private(set) var hasVideo = false

    init(seed: UInt64) {
        var chance = Chance(seed: seed ^ 0x5EED)
        func add(_ percent: Double, _ key: String, _ value: String) {
            if chance.happens(percent) { values.append((key, value)) }
        }
        add(50, "cameras.0.external", "reassert")
        add(30, "cameras.0.shutter.secondary", "record")
        add(30, "cameras.0.shutter.long_press_ms", "0")
        add(40, "cameras.0.microphone", "hw:0")
        add(70, "home_assistant.discovery", "false")
        add(20, "home_assistant.preview_fps", "1")
        add(20, "captures.retain_image", "true")
        add(10, "mqtt.spread_s", "5")
        add(10, "recordings.codec", "mjpeg")
        add(10, "zoom.gesture_timeout_ms", "300")
        add(10, "cameras.1.zoom.max", "3")
        if chance.happens(15) {
            values += [
                ("cameras.1.output.v4l2", "/dev/video9"), ("cameras.1.output.width", "64"),
                ("cameras.1.output.height", "36"), ("cameras.1.output.fps", "2"),
            ]
            add(50, "cameras.1.output.when_read", "true")
        }
        if chance.happens(15) {
            isProved = true
            values += [
                ("clients", "proved"), ("clients.delegates", "[console]"), ("cameras.0.privacy.off", "[a]"),
            ]
        }
        if chance.happens(15) {
            hasLowLimits = true
            values.append(("limits.commands_per_second", "10"))
            add(50, "limits.total_commands_per_second", "12")
            add(50, "limits.photos_per_minute", "2")
        }
        hasVideo = chance.happens(40)
    }
}
