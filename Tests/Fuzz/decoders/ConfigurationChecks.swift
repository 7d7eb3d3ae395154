import Settings

@testable import Configuration

/// Layers give errors with a place and a message, or settings that can be used and rendered.
func check(_ layers: Layers, hostName: String) {
    var builder = Builder(layers)
    let configuration = builder.configuration(hostName: hostName)
    for error in builder.layers.errors.prefix(100) { check(error) }
    // Beside errors, too, all values are in their ranges.
    check(configuration.settings)
    guard builder.layers.errors.isEmpty else { return }
    let recordings = configuration.settings.recordings
    expect(
        recordings.maximumFileBytes <= recordings.folder.maximumBytes, "one recording may be larger than all")
    let page = configuration.effective()
    let errors = LoadedConfiguration.problems(in: Array(page.utf8), name: "shown.yaml")
    expect(errors.isEmpty, "what is shown isn't right: \(errors.map(\.description))\n\(page)")
    var again = Layers()
    again.add(file: Array(page.utf8), name: "shown.yaml")
    var builderAgain = Builder(again)
    let shown = builderAgain.configuration(hostName: hostName)
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

/// The ranges in the comments of `AgentSettings`.
private func check(_ configuration: AgentSettings) {
    check(name: configuration.agent)
    expect(configuration.agent != "groups", "an agent whose topics are those of groups")
    let mqtt = configuration.mqtt
    expect((1...65_535).contains(mqtt.port), "port \(mqtt.port)")
    expect((5...3_600).contains(mqtt.keepAlive), "keepalive \(mqtt.keepAlive)")
    expect((1...300).contains(mqtt.connectTimeout), "a limit of \(mqtt.connectTimeout) s")
    expect((1...MQTTSettings.maxHosts).contains(mqtt.brokers.count), "\(mqtt.brokers.count) brokers")
    for broker in mqtt.brokers {
        expect((1...253).contains(broker.host.utf8.count), "the host \(broker.host)")
        expect((1...65_535).contains(broker.port ?? 0), "the port \(broker)")
    }
    expect((0...3_600).contains(mqtt.spread), "spread \(mqtt.spread)")
    expect(
        (1...253).contains(mqtt.host.utf8.count) && !mqtt.host.utf8.contains(UInt8(ascii: "/")),
        "host \(mqtt.host)")
    expect((1...128).contains(mqtt.baseTopic.utf8.count), "the base topic \(mqtt.baseTopic)")
    expect(
        !mqtt.baseTopic.utf8.contains { "+#\0".utf8.contains($0) } && mqtt.baseTopic.utf8.first != 0x2F
            && mqtt.baseTopic.utf8.last != 0x2F, "base topic \(mqtt.baseTopic)")
    expect((1...256).contains(mqtt.clientID.utf8.count), "client \(mqtt.clientID)")
    let room = configuration.captures.folder.maximumBytes
    expect((1_024...1 << 50).contains(room), "\(room) bytes for photos")
    check(configuration.recordings)
    expect((1...120).contains(configuration.zoom.liveRate), "\(configuration.zoom.liveRate) samples")
    let timeout = configuration.zoom.gestureTimeout
    expect(timeout >= .milliseconds(100) && timeout <= .seconds(60), "a gesture's time-out of \(timeout)")
    for path in [
        configuration.stateFile, configuration.captures.folder.directory,
        configuration.recordings.folder.directory,
    ] {
        expect(!path.isEmpty && !path.utf8.contains(0), "no path: \(path)")
    }
    let limits = configuration.limits
    expect((10...1_000_000).contains(limits.commandRate), "\(limits.commandRate) commands")
    expect((10...10_000_000).contains(limits.totalCommandRate), "\(limits.totalCommandRate) messages")
    expect((1...1_000_000).contains(limits.photoRate), "\(limits.photoRate) photos")
    for folder in [configuration.captures.folder, configuration.recordings.folder] {
        expect((0...3_650).contains(folder.keptDays), "\(folder.keptDays) days")
    }
    let cameras = configuration.cameras
    expect((1...Layers.maximumCameras).contains(cameras.count), "\(cameras.count) cameras")
    for camera in cameras { check(camera) }
}

private func check(_ recordings: RecordingSettings) {
    let all = recordings.folder.maximumBytes
    expect((1_048_576...1 << 50).contains(all), "\(all) bytes for recordings")
    let one = recordings.maximumFileBytes
    expect((65_536...1 << 50).contains(one), "\(one) bytes for one recording")
    expect((1...86_400).contains(recordings.maximumSeconds), "a recording of \(recordings.maximumSeconds) s")
    let encoding = recordings.encoding
    expect(encoding.quality.map { (1...100).contains($0) } ?? true, "no quality of recordings")
    expect(
        encoding.maximumBitRate.map { (50_000...200_000_000).contains($0) } ?? true,
        "no bit rate of recordings")
    expect((0.1...60).contains(encoding.keyFrameSeconds), "no interval of key frames")
}

private func check(_ shutter: ShutterSettings) {
    if let longPress = shutter.longPress {
        expect(longPress > .zero && longPress <= .seconds(10), "a long press of \(longPress)")
    }
    expect((1...64).contains(shutter.sound.utf8.count), "the sound \(shutter.sound)")
    for button in shutter.buttons {
        let topic = button.topic.utf8
        expect((1...512).contains(topic.count) && topic.first != UInt8(ascii: "$"), "topic \(button.topic)")
        expect(!topic.contains { "+#\0".utf8.contains($0) }, "the topic \(button.topic) is a filter")
        expect(button.field.joined(separator: ".").utf8.count <= 128, "field \(button.field)")
        expect(button.field.allSatisfy { !$0.isEmpty }, "a level without a name in \(button.field)")
        let words = button.press + button.began + button.ended + button.cancelled
        expect(!words.isEmpty, "a button that does nothing")
        expect(Set(words).count == words.count, "a word for two things: \(words)")
        expect(words.allSatisfy { (1...64).contains($0.utf8.count) }, "the words \(words)")
    }
}

private func check(_ camera: CameraSettings) {
    check(name: camera.id)
    for group in camera.groups { check(name: group) }
    expect(Set(camera.groups).count == camera.groups.count, "a group is there twice")
    expect(!camera.sources.isEmpty, "a camera from nowhere")
    expect(camera.zoom.lowerBound >= 1 && camera.zoom.upperBound <= 100, "zoom \(camera.zoom)")
    for tag in [camera.position, camera.kind] { tag.map(check(name:)) }
    let device = camera.device
    for side in [device.width, device.height] { expect((16...16_384).contains(side), "a side of \(side)") }
    expect((1...1_000).contains(device.rate), "frame rate \(device.rate)")
    expect(device.pixelFormat.map { $0.utf8.count == 4 } ?? true, "format \(device.pixelFormat ?? "")")
    expect(device.input.map { (0...31).contains($0) } ?? true, "input \(device.input ?? 0)")
    let points = device.calibration
    expect(points.count != 1, "a lens that is known at one place")
    expect(
        zip(points, points.dropFirst()).allSatisfy { $0.raw < $1.raw && $0.factor < $1.factor },
        "a lens that doesn't rise: \(points)")
    expect(points.allSatisfy { $0.factor > 0 && $0.factor.isFinite }, "a lens of no factor: \(points)")
    check(camera.shutter)
    expect(camera.microphone.map { (1...256).contains($0.utf8.count) } ?? true, "a microphone of no name")
    let simulation = camera.simulation
    expect((1...100).contains(simulation.opticalMaximum), "optical zoom \(simulation.opticalMaximum)")
    expect((0...100).contains(simulation.lensSpeed), "lens speed \(simulation.lensSpeed)")
    expect((1...120).contains(simulation.frameRate), "frame rate \(simulation.frameRate)")
    for side in [simulation.width, simulation.height].compactMap(\.self) {
        expect((16...8_192).contains(side) && side % 2 == 0, "a side of \(side)")
    }
    expect(simulation.objectSize.map { (0.01...0.5).contains($0) } ?? true, "an object without a size")
    expect((1...3_600).contains(simulation.objectPeriod), "a period of \(simulation.objectPeriod)")
}

/// The rule for names, written a second time so that the two are compared.
private func check(name: String) {
    expect(
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) },
        "the name \(name)")
}
