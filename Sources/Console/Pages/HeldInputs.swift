internal import Messages

/// What a page has begun and not ended: gestures, buttons that are held, and a zoom that moves. It is ended
/// when the page disappears.
struct HeldInputs {
    struct Command: Equatable {
        let camera: CameraName
        let node: String
        let payload: [String: JSONTree]
    }

    private struct Gesture: Hashable {
        let camera: CameraName
        let name: String
    }

    private struct Button: Hashable {
        let camera: CameraName
        let name: String
    }

    /// The largest numbers of gestures, of fingers of a gesture, and of buttons that are remembered; a person
    /// has no more.
    private static let maxGestures = 32
    private static let maxFingers = 10
    private static let maxButtons = 32
    /// The longest name that an agent takes, in bytes.
    private static let maxNameBytes = 64

    private var pinches: Set<Gesture> = []
    /// The fingers of each touch that are down, with their newest fields.
    private var touches: [Gesture: [JSONTree: [String: JSONTree]]] = [:]
    private var buttons: Set<Button> = []
    private var moving: Set<CameraName> = []

    /// Takes note of a command that is sent.
    mutating func note(_ camera: CameraName, _ node: String, _ payload: [String: JSONTree]) {
        switch node {
        case "pinch": notePinch(camera, payload)
        case "touch": noteTouch(camera, payload)
        case "capture":
            guard let phase = payload["phase"]?.text,
                let name = Self.name(payload["button"] ?? .text("primary"))
            else { return }
            let button = Button(camera: camera, name: name)
            if phase != "began" {
                buttons.remove(button)
            } else if buttons.count < Self.maxButtons {
                buttons.insert(button)
            }
        case "zoom":
            if payload["move"] != nil { moving.insert(camera) } else { moving.remove(camera) }
        default: break
        }
    }

    /// Forgets what a command has begun that the agent has refused.
    mutating func refused(_ camera: CameraName, _ node: String, _ payload: [String: JSONTree]) {
        let name = Self.name(payload[node == "capture" ? "button" : "gesture"] ?? .text("primary"))
        switch node {
        case "pinch" where payload["phase"]?.text == "began":
            if let name { pinches.remove(Gesture(camera: camera, name: name)) }
        case "touch":
            guard let name, let fingers = payload["touches"]?.list?.compactMap(\.object) else { return }
            let gesture = Gesture(camera: camera, name: name)
            for finger in fingers where finger["phase"]?.text == "began" {
                if let id = finger["id"] { touches[gesture]?[id] = nil }
            }
            if touches[gesture]?.isEmpty == true { touches[gesture] = nil }
        case "capture" where payload["phase"]?.text == "began":
            if let name { buttons.remove(Button(camera: camera, name: name)) }
        case "zoom" where payload["move"] != nil: moving.remove(camera)
        default: break
        }
    }

    /// A name that an agent takes.
    private static func name(_ value: JSONTree?) -> String? {
        value?.text.flatMap { (1...maxNameBytes).contains($0.utf8.count) ? $0 : nil }
    }

    private mutating func notePinch(_ camera: CameraName, _ payload: [String: JSONTree]) {
        guard let name = Self.name(payload["gesture"]), let phase = payload["phase"]?.text else { return }
        let gesture = Gesture(camera: camera, name: name)
        switch phase {
        case "ended", "cancelled": pinches.remove(gesture)
        default: if pinches.count < Self.maxGestures { pinches.insert(gesture) }
        }
    }

    private mutating func noteTouch(_ camera: CameraName, _ payload: [String: JSONTree]) {
        guard let name = Self.name(payload["gesture"]) else { return }
        let gesture = Gesture(camera: camera, name: name)
        var fingers = touches[gesture] ?? [:]
        for touch in payload["touches"]?.list ?? [] {
            guard let finger = touch.object, let id = finger["id"] else { continue }
            let isDown = ["began", "moved"].contains(finger["phase"]?.text)
            if !isDown {
                fingers[id] = nil
            } else if fingers[id] != nil || fingers.count < Self.maxFingers {
                fingers[id] = finger
            }
        }
        if fingers.isEmpty || (touches[gesture] == nil && touches.count >= Self.maxGestures) {
            touches[gesture] = nil
        } else {
            touches[gesture] = fingers
        }
    }

    /// The commands that end everything, and forget it.
    mutating func end() -> [Command] {
        var commands: [Command] = []
        for gesture in pinches {
            commands.append(
                Command(
                    camera: gesture.camera, node: "pinch",
                    payload: ["gesture": .text(gesture.name), "phase": .text("cancelled")]))
        }
        for (gesture, fingers) in touches {
            let ended = fingers.values.map { finger in
                JSONTree.object(finger.merging(["phase": .text("cancelled")]) { _, new in new })
            }
            commands.append(
                Command(
                    camera: gesture.camera, node: "touch",
                    payload: ["gesture": .text(gesture.name), "touches": .list(ended)]))
        }
        for button in buttons {
            commands.append(
                Command(
                    camera: button.camera, node: "capture",
                    payload: ["phase": .text("cancelled"), "button": .text(button.name)]))
        }
        for camera in moving {
            commands.append(Command(camera: camera, node: "zoom", payload: ["stop": .flag(true)]))
        }
        self = HeldInputs()
        return commands
    }
}
