internal import Contract
internal import Settings

extension CameraSettings: Keyed {
    /// The keys of each camera, below `cameras[]`.
    mutating func visit(_ f: inout KeyVisitor) {
        f("id", &id, .name(), "The camera's name in its topics. Required.")
        f(
            "name", &name, .optional(.title),
            "The camera's name for people: in the page, ctl list and Home Assistant. The id stays its address."
        )
        f(
            "source", &sources, .sources,
            "simulated, { v4l2: PATH }, { serial: NUMBER }, properties such as { kind: wide, position: back }, any, or a list: the first that is present is used. Properties: kind, position, serial, model, driver, bus."
        )
        f(
            "image", &image, .optional(.file()),
            "The JPEG file that a simulated camera shows. Without it: a test scene.")
        f("groups", &groups, .names, "The groups whose commands the camera obeys.")
        f(
            "position", &position, .optional(.name()),
            "A tag for the camera's direction, such as front or back.")
        f("kind", &kind, .optional(.name()), "A tag for the type of the camera, such as wide or tele.")
        f(
            "rotation", &orientation.rotation, .optional(.choice), unit: "degrees clockwise",
            "How the picture is turned: 0, 90, 180, 270, or auto, as the device reports that its sensor is mounted. Without rotation and mirror: as the device gives it."
        )
        f(
            "mirror", &orientation.mirror, .optional(.choice),
            "How the turned picture is mirrored: none, horizontal (left and right are exchanged) or vertical."
        )
        f(
            "external", &external, .choice,
            "If another program moves the lens or sets a control: follow, or reassert the previous value.")
        f(
            "discovery", &isDiscovered, .boolean,
            "Whether this camera is announced to Home Assistant, if home_assistant.discovery is true.")

        var (least, most) = (Self.standard.zoom.lowerBound, Self.standard.zoom.upperBound)
        f("zoom.min", &least, .number(1...100), "The smallest zoom factor.")
        f("zoom.max", &most, .number(1...100), "The largest zoom factor, above the smallest.")
        f.check(
            least < most, "zoom.max", "zoom.min",
            message: "expected zoom.min below zoom.max, found \(least.shortText) and \(most.shortText)")
        // Empty if the two keys contradict each other.
        zoom = least...max(least, most)
        f(
            "zoom.calibration", &device.calibration, .calibration,
            "Factors at positions of the lens, such as [[100, 1], [500, 4.2]]. Without it: position ÷ least one."
        )
        f(
            "zoom.continuous_rate", &device.continuousRate, .optional(.number(0.01...100)),
            unit: "octaves (powers of two) per second",
            "The slowest speed of a lens that has a speed control and no position control.")
        f(
            "zoom.continuous_max", &device.continuousMaximum, .optional(.number(1.01...100)),
            "The longest factor of such a lens. With both, its position is estimated from the time.")

        f(
            "v4l2.width", &device.width, .whole(16...16_384), unit: "pixels",
            "The largest width of a device's frames in the named qualities.")
        f(
            "v4l2.height", &device.height, .whole(16...16_384), unit: "pixels",
            "The largest height of a device's frames in the named qualities.")
        f(
            "v4l2.fps", &device.rate, .number(1...1_000), unit: "frames per second",
            "The frame rate that is requested from a device.")
        f(
            "v4l2.pixel_format", &device.pixelFormat, .optional(.pixelFormat),
            "The pixel format by its four letters, such as MJPG. Without it: the best one of the device.")
        f(
            "v4l2.input", &device.input, .optional(.whole(0...31)),
            "The input of a device with several inputs.")
        f(
            "v4l2.stream", &device.stream, .choice,
            "Read frames only while they are needed, so that other programs can use the device, or always.")

        f(
            "microphone", &microphone,
            .optional(.text("the name of an ALSA device, such as hw:1,0", limit: 256)),
            "The ALSA device for the sound of recordings. Without it: no sound.")

        f(
            "recording.camera_video", &recording.usesCameraVideo, .boolean,
            "Record the camera's own H.264 at 1×, if it has that beside other formats. If both are at one video node, previews stop briefly at the change."
        )

        f(
            "output.v4l2", &output.path, .optional(.literalPath),
            "The V4L2 output device of a virtual camera, such as /dev/video9. Without it: none.")
        f(
            "output.width", &output.width, .whole(16...8_192, multipleOf: 2), unit: "pixels",
            "The width of the virtual camera's pictures.")
        f(
            "output.height", &output.height, .whole(16...8_192, multipleOf: 2), unit: "pixels",
            "Their height. Where the view has another aspect ratio, the rest is black.")
        f(
            "output.fps", &output.rate, .number(1...120), unit: "pictures per second",
            "The rate of the pictures, whatever the camera's is.")
        f(
            "output.pixel_format", &output.pixelFormat, .optional(.choice),
            "Their pixel format. Without it: the first of these that the device has.")
        f(
            "output.when_read", &output.isOnlyWhenRead, .boolean,
            "Make pictures only while a program reads the device, where the driver reports that.")

        f(
            "privacy.off", &privacy.off, .optional(.names),
            "The clients that may switch privacy off. Without it: all. It needs clients: proved.")

        f(
            "shutter.primary", &shutter.primary, .choice,
            "The action of the primary button: take a photo, or start or end a recording (record).")
        f(
            "shutter.secondary", &shutter.secondary, .choice, default: shutter.primary,
            as: "the same as primary", "The action of the secondary button.")
        f(
            "shutter.long_press_ms", &shutter.longPress, .millisecondsOrZero(0...10_000),
            unit: "milliseconds",
            "A button that is held for this long records until it is released. 0: never.")
        f(
            "shutter.sound", &shutter.sound, .text("default, none, or the name of a sound", limit: 64),
            "The sound that a remote button plays: default, none, or a name of your own.")
        f(
            "shutter.buttons", &shutter.buttons, .buttons,
            "Topics that act as shutter buttons: topic, the field of its JSON (without it, the payload is the word), the words for press, began, ended and cancelled; button: primary or secondary; remote: true (default) for a sound event."
        )

        f(
            "simulated.optical_max", &simulation.opticalMaximum, .number(1...100),
            "The longest factor of the simulated lens. The rest of the zoom is digital. 1: no lens.")
        f(
            "simulated.lens_speed", &simulation.lensSpeed, .number(0...100),
            unit: "octaves (powers of two) per second",
            "The speed of the simulated lens. 0: it moves immediately.")
        f(
            "simulated.write_latency_ms", &simulation.writeLatency, .milliseconds(0...10_000),
            unit: "milliseconds", "How long the simulated camera takes to set a control.")
        f(
            "simulated.fps", &simulation.frameRate, .whole(1...120), unit: "frames per second",
            "The frame rate.")
        f(
            "simulated.width", &simulation.width, .optional(.whole(16...8_192, multipleOf: 2)),
            unit: "pixels",
            "The width of a frame, which an image is scaled to cover. Without it: as the image, or 1920.")
        f(
            "simulated.height", &simulation.height, .optional(.whole(16...8_192, multipleOf: 2)),
            unit: "pixels",
            "The height of a frame, which an image is scaled to cover. Without it: as the image, or 1080.")
        f(
            "simulated.scene", &simulation.scene, .choice,
            "What it shows without an image: chart (cells whose colours encode the place), or garden, with small things to zoom into."
        )
        f(
            "simulated.object_size", &simulation.objectSize, .numberOrZero(0.01...0.5),
            unit: "heights of the frame",
            "The diameter of a dark disc that moves round the test scene. 0: nothing moves.")
        f(
            "simulated.object_period_s", &simulation.objectPeriod, .number(1...3_600), unit: "seconds",
            "How long the disc takes to go round once.")
        f("simulated.inject_fault", &simulation.fault, .choice, "A defect to simulate, for tests.")
    }
}
