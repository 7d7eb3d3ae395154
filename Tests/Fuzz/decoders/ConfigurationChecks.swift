import Settings

@testable import Configuration

/// Layers give errors with a place and a message, or settings that can be used and rendered.
func check(_ layers: Layers, hostName: String) {
    let configuration = LoadedConfiguration(layers, hostName: hostName)
    for error in configuration.layers.errors.prefix(100) { check(error) }
    // Beside errors, too, all values are in their ranges.
    check(configuration.settings)
    guard configuration.layers.errors.isEmpty else { return }
    let recordings = configuration.settings.recordings
    expect(
        recordings.maximumFileBytes <= recordings.folder.maximumBytes, "one recording may be larger than all")
    let page = configuration.effective()
    let errors = LoadedConfiguration.problems(in: Array(page.utf8), name: "shown.yaml")
    expect(errors.isEmpty, "what is shown isn't right: \(errors.map(\.description))\n\(page)")
    var again = Layers()
    again.add(file: Array(page.utf8), name: "shown.yaml")
    let shown = LoadedConfiguration(again, hostName: hostName)
    expect(
        shown.values.map(\.text) == configuration.values.map(\.text),
        "what is shown reads otherwise:\n\(page)")
    // A text that leaves something out leaves it out again. The page names its cameras.
    var settings = shown.settings
    settings.servesAll = configuration.settings.servesAll
    expect(settings == configuration.settings, "the settings of the page are others:\n\(page)")
}

/// An error has a place and a message, and is one line that a terminal can show.
func check(_ error: ConfigurationError) {
    expect(!error.message.isEmpty && error.description.hasSuffix(error.message), "nothing is said: \(error)")
    expect(error.message.utf8.count <= 4096, "a message of \(error.message.utf8.count) bytes")
    expect(!error.message.unicodeScalars.contains { $0.isControl }, "a message with control characters")
    guard case .defaultValue = error.origin else { return }
    expect(!error.path.isEmpty || error.message.contains("cameras."), "it isn't said where: \(error)")
}

/// What code of the program relies on beyond the ranges of single keys, which `ConfigurationTests` checks.
private func check(_ settings: AgentSettings) {
    check(name: settings.agent)
    expect(!["groups", "fleet"].contains(settings.agent), "an agent whose topics are those of others")
    expect((1...MQTTSettings.maxHosts).contains(settings.mqtt.brokers.count), "no broker, or too many")
    for broker in settings.mqtt.brokers {
        expect((1...253).contains(broker.host.utf8.count), "the host \(broker.host)")
        expect((1...65_535).contains(broker.port ?? 0), "the port \(broker)")
    }
    let base = settings.mqtt.baseTopic.utf8
    expect(!base.contains { "+#\0".utf8.contains($0) } && base.first != 0x2F, "the base topic is a filter")
    let folders = [settings.captures.folder.directory, settings.recordings.folder.directory]
    for path in folders + [settings.stateFile] {
        expect(path.hasPrefix("/") && !path.utf8.contains(0), "no path: \(path)")
    }
    expect((1...Layers.maximumCameras).contains(settings.cameras.count), "\(settings.cameras.count) cameras")
    for camera in settings.cameras { check(camera) }
}

private func check(_ camera: CameraSettings) {
    for name in [camera.id, camera.position, camera.kind].compactMap(\.self) + camera.groups {
        check(name: name)
    }
    expect(Set(camera.groups).count == camera.groups.count, "a group is there twice")
    expect(!camera.sources.isEmpty, "a camera from nowhere")
    expect(camera.zoom.lowerBound >= 1 && camera.zoom.upperBound <= 100, "zoom \(camera.zoom)")
    let points = camera.device.calibration
    expect(points.count != 1, "a lens that is known at one place")
    expect(
        zip(points, points.dropFirst()).allSatisfy { $0.raw < $1.raw && $0.factor < $1.factor },
        "a lens that doesn't rise: \(points)")
    for button in camera.shutter.buttons {
        expect(!button.topic.utf8.contains { "+#\0".utf8.contains($0) }, "\(button.topic) is a filter")
        expect(button.field.allSatisfy { !$0.isEmpty }, "a level without a name in \(button.field)")
        let words = button.press + button.began + button.ended + button.cancelled
        expect(!words.isEmpty, "a button that does nothing")
        expect(Set(words).count == words.count, "a word for two things: \(words)")
    }
}

/// The rule for names, written a second time so that the two are compared.
private func check(name: String) {
    expect(
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) },
        "the name \(name)")
}

extension LoadedConfiguration {
    /// All errors in the text of a file by itself. Pure and bounded, whatever the bytes are.
    static func problems(in bytes: [UInt8], name: String) -> [ConfigurationError] {
        var layers = Layers()
        layers.add(file: bytes, name: name)
        return ConfigurationErrors(LoadedConfiguration(layers).layers.errors).errors
    }
}
