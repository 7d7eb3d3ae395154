internal import Base
internal import CV4L2
internal import Contract

extension DeviceReport {
    /// A node such as `/dev/video0`.
    static func videoNode(named name: String, links: [String], withSerials: Bool) -> JSON {
        let path = "/dev/" + name
        let shown = withSerials ? links : links.filter { !$0.hasPrefix(DeviceScan.linksWithSerials) }
        var node: JSONObject = [
            "path": .text(path), "links": .list(shown.map { .text($0) }),
            "serial": withSerials ? .text(DeviceScan.serial(of: name)) : nil,
            // The index among the nodes of the device.
            "index": property("index", of: name), "usb": usbDevice(of: name),
        ]
        do throws(CameraError) {
            let device = try V4L2Device(path: path)
            // Whether the agent can serve it.
            node["served"] = .flag(device.identity.captures)
            // Why it has no formats.
            if !device.isAvailable { node["error"] = .text(V4L2Device.inUse(path).text) }
            ask(device, &node)
        } catch {
            // Why it cannot be opened.
            node["error"] = .text(error.text)
        }
        return .object(node)
    }

    /// What the kernel knows of a device, by a file in its folder.
    private static func property(_ file: String, of name: String) -> JSON? {
        DeviceScan.firstLine(of: "/sys/class/video4linux/\(name)/\(file)").map { .text($0) }
    }

    private static func usbDevice(of name: String) -> JSON? {
        func property(_ file: String) -> JSON? { Self.property("device/../\(file)", of: name) }
        // Hexadecimal, as USB gives them; the speed is in Mbit/s.
        guard let vendor = property("idVendor") else { return nil }
        return .object([
            "vendor": vendor, "product": property("idProduct"), "revision": property("bcdDevice"),
            "speed": property("speed"),
        ])
    }

    private static func ask(_ device: V4L2Device, _ report: inout JSONObject) {
        let node = device.descriptor
        var found = cv4l2_identity()
        if cv4l2_identify(node, &found) == 0 { report["capability"] = capability(found) }
        report["inputs"] = list(
            atMost: 64, cv4l2_connector(), { cv4l2_input(node, $0, &$1) }, connector)
        report["outputs"] = list(
            atMost: 64, cv4l2_connector(), { cv4l2_output(node, $0, &$1) }, connector)
        report["input"] = answer(0, { cv4l2_get_input(node, &$0) }, number)
        report["output"] = answer(0, { cv4l2_get_output(node, &$0) }, number)
        // By the type of their buffers.
        report["buffers"] = object(bufferTypes.map { ($0.name, buffers($0.number, of: node)) })
        report["controls"] = controls(of: device)
    }

    private static func capability(_ found: cv4l2_identity) -> JSON {
        .object([
            "driver": .text(deviceText(found.driver)), "card": .text(deviceText(found.card)),
            "bus": .text(deviceText(found.bus)), "version": version(found.version),
            // The capabilities of all nodes of the device and of this one (`V4L2_CAP_…`).
            "all_nodes": hexadecimal(found.all_nodes), "this_node": hexadecimal(found.this_node),
        ])
    }

    /// An input or an output.
    private static func connector(_ found: cv4l2_connector) -> JSON {
        .object([
            "name": .text(deviceText(found.name)), "type": number(found.type),
            "status": hexadecimal(found.status), "capabilities": hexadecimal(found.capabilities),
        ])
    }

    // MARK: Buffers

    /// V4L2's numbers of the types (`V4L2_BUF_TYPE_…`).
    private static let bufferTypes: [(name: String, number: UInt32)] = [
        ("video_capture", 1), ("video_output", 2), ("video_overlay", 3), ("video_capture_mplane", 9),
        ("video_output_mplane", 10), ("sdr_capture", 11), ("sdr_output", 12), ("meta_capture", 13),
        ("meta_output", 14),
    ]
    /// The types that contain pictures.
    private static let pictureTypes: Set<UInt32> = [1, 2, 9, 10]
    /// V4L2's numbers of rectangles (`V4L2_SEL_TGT_…`).
    private static let targets: [(name: String, number: UInt32)] = [
        ("crop", 0), ("crop_default", 1), ("crop_bounds", 2), ("native_size", 3), ("compose", 0x100),
        ("compose_default", 0x101), ("compose_bounds", 0x102), ("compose_padded", 0x103),
    ]

    /// What a node answers for one type of buffers; nil: it has no formats.
    private static func buffers(_ type: UInt32, of node: Int32) -> JSON? {
        let hasPictures = pictureTypes.contains(type)
        let formats = list(
            atMost: 128, cv4l2_format_entry(), { cv4l2_format_entry(node, type, $0, &$1) },
            { format($0, of: node, hasSizes: hasPictures) })
        if formats.list?.isEmpty == true { return nil }
        guard hasPictures else { return .object(["formats": formats]) }
        let selection = targets.map { target in
            (
                target.name,
                answer(
                    cv4l2_rectangle(), { cv4l2_get_selection(node, type, target.number, &$0) },
                    { .list([number($0.left), number($0.top), number($0.width), number($0.height)]) })
            )
        }
        return .object([
            "formats": formats,
            "present": answer(
                cv4l2_present_format(), { cv4l2_present_format(node, type, &$0) }, presentFormat),
            "streaming": answer(cv4l2_streaming(), { cv4l2_streaming(node, type, &$0) }, streaming),
            "selection": object(selection),
        ])
    }

    private static func format(_ found: cv4l2_format_entry, of node: Int32, hasSizes: Bool) -> JSON {
        let sizes = list(
            atMost: hasSizes ? 256 : 0, cv4l2_size(),
            { cv4l2_frame_size(node, found.pixel_format, $0, &$1) },
            { size($0, of: node, found.pixel_format) })
        return .object([
            // The four-character code.
            "pixel_format": .text(V4L2Format.letters(found.pixel_format)),
            "description": .text(deviceText(found.description)), "flags": hexadecimal(found.flags),
            "sizes": hasSizes ? sizes : nil,
        ])
    }

    private static func size(_ found: cv4l2_size, of node: Int32, _ pixelFormat: UInt32) -> JSON {
        let greatest = "\(found.width)x\(found.height)"
        let range =
            "\(found.least_width)x\(found.least_height) to \(greatest) by \(found.width_step)x\(found.height_step)"
        let intervals = list(
            atMost: 64, cv4l2_intervals(),
            { cv4l2_intervals(node, pixelFormat, found.width, found.height, $0, &$1) },
            { found in
                .text(
                    found.step.denominator == 0
                        ? text(found.least)
                        : "\(text(found.least)) to \(text(found.greatest)) by \(text(found.step))")
            })
        return .object([
            // Pixels, such as `640x480`; or a range with its steps, `16x16 to 3840x2160 by 2x2`.
            "size": .text(found.is_range ? range : greatest),
            // Seconds as fractions, such as `1/30`; or a range with its step. Those of the greatest size.
            "intervals": intervals,
        ])
    }

    private static func text(_ interval: cv4l2_interval) -> String {
        "\(interval.numerator)/\(interval.denominator)"
    }

    private static func presentFormat(_ found: cv4l2_present_format) -> JSON {
        let format = found.format
        // Bytes in a row, and in a frame at the most.
        let planes = Cameras.planes(format.planes, format.plane_count) { (plane: cv4l2_plane_format) in
            JSON.object(["stride": number(plane.stride), "size": number(plane.size)])
        }
        return .object([
            "pixel_format": .text(V4L2Format.letters(format.pixel_format)),
            "size": .text("\(format.width)x\(format.height)"), "flags": hexadecimal(found.flags),
            // V4L2's numbers.
            "field": number(found.field), "colorspace": number(found.colorspace),
            "transfer": number(found.transfer), "encoding": number(found.encoding),
            "quantization": number(found.quantization), "planes": .list(planes),
        ])
    }

    private static func streaming(_ found: cv4l2_streaming) -> JSON {
        .object([
            "capability": hexadecimal(found.capability), "mode": hexadecimal(found.mode),
            "interval": .text(text(found.interval)),
        ])
    }
}
