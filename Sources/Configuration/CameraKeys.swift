internal import Settings

extension Keys {
    /// The keys of each camera.
    static let camera = table {
        Key("cameras[].id", .name(), to: \.camera.id, "The camera's name in its topics. Required.")
        Key(
            "cameras[].name", .optional(.title), to: \.camera.name,
            "The camera's name for people: in the page, ctl list and Home Assistant. The id stays its address."
        )
        Key(
            "cameras[].source", .sources, to: \.camera.sources,
            "simulated, { v4l2: PATH }, { serial: NUMBER }, properties such as { kind: wide, position: back }, any, or a list: the first that is present is used. Properties: kind, position, serial, model, driver, bus."
        )
        Key(
            "cameras[].image", .optional(.file()), to: \.camera.image,
            "The JPEG file that a simulated camera shows. Without it: a test scene.")
        Key("cameras[].groups", .names, to: \.camera.groups, "The groups whose commands the camera obeys.")
        Key(
            "cameras[].position", .optional(.name()), to: \.camera.position,
            "A tag for the camera's direction, such as front or back.")
        Key(
            "cameras[].kind", .optional(.name()), to: \.camera.kind,
            "A tag for the type of the camera, such as wide or tele.")
        Key(
            "cameras[].rotation", .optional(.choice), to: \.camera.orientation.rotation,
            unit: "degrees clockwise",
            "How the picture is turned: 0, 90, 180, 270, or auto, as the device reports that its sensor is mounted. Without rotation and mirror: as the device gives it."
        )
        Key(
            "cameras[].mirror", .optional(.choice), to: \.camera.orientation.mirror,
            "How the turned picture is mirrored: none, horizontal (left and right are exchanged) or vertical."
        )
        Key(
            "cameras[].external", .choice, to: \.camera.external,
            "If another program moves the lens or sets a control: follow, or reassert the previous value.")
        Key(
            "cameras[].discovery", .boolean, to: \.camera.isDiscovered,
            "Whether this camera is announced to Home Assistant, if home_assistant.discovery is true.")

        Key("cameras[].zoom.min", .number(1...100), to: \.zoomMinimum, "The smallest zoom factor.")
        Key(
            "cameras[].zoom.max", .number(1...100), to: \.zoomMaximum,
            "The largest zoom factor, above the smallest.")
        Key(
            "cameras[].zoom.calibration", .calibration, to: \.camera.device.calibration,
            "Factors at positions of the lens, such as [[100, 1], [500, 4.2]]. Without it: position ÷ least one."
        )
        Key(
            "cameras[].zoom.continuous_rate", .optional(.number(0.01...100)),
            to: \.camera.device.continuousRate, unit: "octaves (powers of two) per second",
            "The slowest speed of a lens that has a speed control and no position control.")
        Key(
            "cameras[].zoom.continuous_max", .optional(.number(1.01...100)),
            to: \.camera.device.continuousMaximum,
            "The longest factor of such a lens. With both, its position is estimated from the time."
        )

        Key(
            "cameras[].v4l2.width", .whole(16...16_384), to: \.camera.device.width, unit: "pixels",
            "The largest width of a device's frames in the named qualities.")
        Key(
            "cameras[].v4l2.height", .whole(16...16_384), to: \.camera.device.height, unit: "pixels",
            "The largest height of a device's frames in the named qualities.")
        Key(
            "cameras[].v4l2.fps", .number(1...1_000), to: \.camera.device.rate, unit: "frames per second",
            "The frame rate that is requested from a device.")
        Key(
            "cameras[].v4l2.pixel_format", .optional(.pixelFormat), to: \.camera.device.pixelFormat,
            "The pixel format by its four letters, such as MJPG. Without it: the best one of the device.")
        Key(
            "cameras[].v4l2.input", .optional(.whole(0...31)), to: \.camera.device.input,
            "The input of a device with several inputs.")
        Key(
            "cameras[].v4l2.stream", .choice, to: \.camera.device.stream,
            "Read frames only while they are needed, so that other programs can use the device, or always.")

        Key(
            "cameras[].microphone",
            .optional(.text("the name of an ALSA device, such as hw:1,0", limit: 256)),
            to: \.camera.microphone, "The ALSA device for the sound of recordings. Without it: no sound.")

        Key(
            "cameras[].recording.camera_video", .boolean, to: \.camera.recording.usesCameraVideo,
            "Record the camera's own H.264 at 1×, if it has that beside other formats. If both are at one video node, previews stop briefly at the change."
        )

        Key(
            "cameras[].output.v4l2", .optional(.literalPath), to: \.camera.output.path,
            "The V4L2 output device of a virtual camera, such as /dev/video9. Without it: none.")
        Key(
            "cameras[].output.width", .whole(16...8_192, multipleOf: 2), to: \.camera.output.width,
            unit: "pixels", "The width of the virtual camera's pictures.")
        Key(
            "cameras[].output.height", .whole(16...8_192, multipleOf: 2), to: \.camera.output.height,
            unit: "pixels", "Their height. Where the view has another aspect ratio, the rest is black.")
        Key(
            "cameras[].output.fps", .number(1...120), to: \.camera.output.rate,
            unit: "pictures per second", "The rate of the pictures, whatever the camera's is.")
        Key(
            "cameras[].output.pixel_format", .optional(.choice), to: \.camera.output.pixelFormat,
            "Their pixel format. Without it: the first of these that the device has.")
        Key(
            "cameras[].output.when_read", .boolean, to: \.camera.output.isOnlyWhenRead,
            "Make pictures only while a program reads the device, where the driver reports that.")

        Key(
            "cameras[].privacy.off", .optional(.names), to: \.camera.privacy.off,
            "The clients that may switch privacy off. Without it: all. It needs clients: proved.")

        Key(
            "cameras[].shutter.primary", .choice, to: \.camera.shutter.primary,
            "The action of the primary button: take a photo, or start or end a recording (record).")
        Key(
            "cameras[].shutter.secondary", .choice, to: \.camera.shutter.secondary,
            default: "the same as primary", "The action of the secondary button."
        ) { $0.camera.shutter.primary }
        Key(
            "cameras[].shutter.long_press_ms", .millisecondsOrZero(0...10_000),
            to: \.camera.shutter.longPress, unit: "milliseconds",
            "A button that is held for this long records until it is released. 0: never.")
        Key(
            "cameras[].shutter.sound", .text("default, none, or the name of a sound", limit: 64),
            to: \.camera.shutter.sound,
            "The sound that a remote button plays: default, none, or a name of your own."
        )
        Key(
            "cameras[].shutter.buttons", .buttons, to: \.camera.shutter.buttons,
            """
            Topics that act as shutter buttons: topic, the field of its JSON (without it, the payload is the \
            word), the words for press, began, ended and cancelled; button: primary or secondary; \
            remote: true (default) for a sound event.
            """
        )

        Key(
            "cameras[].simulated.optical_max", .number(1...100), to: \.camera.simulation.opticalMaximum,
            "The longest factor of the simulated lens. The rest of the zoom is digital. 1: no lens.")
        Key(
            "cameras[].simulated.lens_speed", .number(0...100), to: \.camera.simulation.lensSpeed,
            unit: "octaves (powers of two) per second",
            "The speed of the simulated lens. 0: it moves immediately.")
        Key(
            "cameras[].simulated.write_latency_ms", .milliseconds(0...10_000),
            to: \.camera.simulation.writeLatency,
            unit: "milliseconds", "How long the simulated camera takes to set a control.")
        Key(
            "cameras[].simulated.fps", .whole(1...120), to: \.camera.simulation.frameRate,
            unit: "frames per second", "The frame rate.")
        Key(
            "cameras[].simulated.width", .optional(.whole(16...8_192, multipleOf: 2)),
            to: \.camera.simulation.width, unit: "pixels",
            "The width of a frame, which an image is scaled to cover. Without it: as the image, or 1920.")
        Key(
            "cameras[].simulated.height", .optional(.whole(16...8_192, multipleOf: 2)),
            to: \.camera.simulation.height, unit: "pixels",
            "The height of a frame, which an image is scaled to cover. Without it: as the image, or 1080.")
        Key(
            "cameras[].simulated.object_size", .numberOrZero(0.01...0.5), to: \.camera.simulation.objectSize,
            unit: "heights of the frame",
            "The diameter of a dark disc that moves round the test scene. 0: nothing moves.")
        Key(
            "cameras[].simulated.object_period_s", .number(1...3_600), to: \.camera.simulation.objectPeriod,
            unit: "seconds", "How long the disc takes to go round once.")
        Key(
            "cameras[].simulated.inject_fault", .choice, to: \.camera.simulation.fault,
            "A defect to simulate, for tests.")
    }
}
