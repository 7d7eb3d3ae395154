internal import Base
internal import CV4L2

extension DeviceReport {
    /// A node such as `/dev/video0`.
    struct VideoNode: Sendable, Encodable {
        let path: String
        let links: [String]
        let serial: String?
        /// The index among the nodes of the device.
        let index: String?
        let usb: USBDevice?
        /// Why the node cannot be opened; nothing more is known then. Or why it has no formats.
        var error: String?
        /// Whether the agent can serve it.
        var served: Bool?
        var capability: Capability?
        var inputs: [Connector]?
        var outputs: [Connector]?
        var input: DeviceReport.Answer<UInt32>?
        var output: DeviceReport.Answer<UInt32>?
        /// By the type of their buffers.
        var buffers: [String: Buffers]?
        var controls: [Control]?

        init(named name: String, links: [String], withSerials: Bool) {
            path = "/dev/" + name
            self.links = withSerials ? links : links.filter { !$0.hasPrefix(DeviceScan.linksWithSerials) }
            serial = withSerials ? DeviceScan.serial(of: name) : nil
            index = DeviceScan.firstLine(of: "/sys/class/video4linux/\(name)/index")
            usb = USBDevice(of: name)
            do throws(CameraError) {
                let device = try V4L2Device(path: path)
                served = device.identity.captures
                if !device.isAvailable { error = V4L2Device.inUse(path).text }
                ask(device)
            } catch {
                self.error = error.text
            }
        }

        private mutating func ask(_ device: V4L2Device) {
            let node = device.descriptor
            var found = cv4l2_identity()
            if cv4l2_identify(node, &found) == 0 { capability = Capability(found) }
            inputs = DeviceReport.list(
                atMost: 64, cv4l2_connector(), { cv4l2_input(node, $0, &$1) }, Connector.init)
            outputs = DeviceReport.list(
                atMost: 64, cv4l2_connector(), { cv4l2_output(node, $0, &$1) }, Connector.init)
            input = DeviceReport.Answer(0, { cv4l2_get_input(node, &$0) }, { $0 })
            output = DeviceReport.Answer(0, { cv4l2_get_output(node, &$0) }, { $0 })
            let all = Buffers.types.map { ($0.name, Buffers(node, $0.number)) }
            buffers = Dictionary(uniqueKeysWithValues: all.filter { !$0.1.formats.isEmpty })
            controls = Control.all(of: device)
        }
    }

    /// What the kernel knows of a USB device.
    struct USBDevice: Sendable, Encodable {
        /// Hexadecimal, as USB gives them.
        let vendor, product, revision: String?
        /// In Mbit/s.
        let speed: String?

        init?(of name: String) {
            func property(_ file: String) -> String? {
                DeviceScan.firstLine(of: "/sys/class/video4linux/\(name)/device/../\(file)")
            }
            (vendor, product) = (property("idVendor"), property("idProduct"))
            (revision, speed) = (property("bcdDevice"), property("speed"))
            if vendor == nil { return nil }
        }
    }

    struct Capability: Sendable, Encodable {
        let driver, card, bus, version: String
        /// The capabilities of all nodes of the device and of this one (`V4L2_CAP_…`).
        let all_nodes, this_node: String

        init(_ found: cv4l2_identity) {
            (driver, card, bus) = (deviceText(found.driver), deviceText(found.card), deviceText(found.bus))
            version = DeviceReport.version(found.version)
            all_nodes = DeviceReport.hexadecimal(found.all_nodes)
            this_node = DeviceReport.hexadecimal(found.this_node)
        }
    }

    /// An input or an output.
    struct Connector: Sendable, Encodable {
        let name, status, capabilities: String
        let type: UInt32

        init(_ found: cv4l2_connector) {
            (name, type) = (deviceText(found.name), found.type)
            status = DeviceReport.hexadecimal(found.status)
            capabilities = DeviceReport.hexadecimal(found.capabilities)
        }
    }

    /// What a node answers for one type of buffers.
    struct Buffers: Sendable, Encodable {
        /// V4L2's numbers of the types (`V4L2_BUF_TYPE_…`).
        static let types: [(name: String, number: UInt32)] = [
            ("video_capture", 1), ("video_output", 2), ("video_overlay", 3), ("video_capture_mplane", 9),
            ("video_output_mplane", 10), ("sdr_capture", 11), ("sdr_output", 12), ("meta_capture", 13),
            ("meta_output", 14),
        ]
        /// The types that contain pictures.
        private static let pictures: Set<UInt32> = [1, 2, 9, 10]
        /// V4L2's numbers of rectangles (`V4L2_SEL_TGT_…`).
        private static let targets: [(name: String, number: UInt32)] = [
            ("crop", 0), ("crop_default", 1), ("crop_bounds", 2), ("native_size", 3), ("compose", 0x100),
            ("compose_default", 0x101), ("compose_bounds", 0x102), ("compose_padded", 0x103),
        ]

        let formats: [Format]
        var present: DeviceReport.Answer<PresentFormat>?
        var streaming: DeviceReport.Answer<Streaming>?
        var selection: [String: DeviceReport.Answer<[Int64]>]?

        init(_ node: Int32, _ type: UInt32) {
            let hasPictures = Self.pictures.contains(type)
            formats = DeviceReport.list(
                atMost: 128, cv4l2_format_entry(), { cv4l2_format_entry(node, type, $0, &$1) },
                { Format(node, $0, hasSizes: hasPictures) })
            guard hasPictures, !formats.isEmpty else { return }
            present = .init(
                cv4l2_present_format(), { cv4l2_present_format(node, type, &$0) }, PresentFormat.init)
            streaming = .init(cv4l2_streaming(), { cv4l2_streaming(node, type, &$0) }, Streaming.init)
            selection = Dictionary(
                uniqueKeysWithValues: Self.targets.map { target in
                    (
                        target.name,
                        .init(
                            cv4l2_rectangle(), { cv4l2_get_selection(node, type, target.number, &$0) },
                            { [Int64($0.left), Int64($0.top), Int64($0.width), Int64($0.height)] })
                    )
                })
        }

        struct Format: Sendable, Encodable {
            /// The four-character code.
            let pixel_format, description, flags: String
            let sizes: [Size]?

            init(_ node: Int32, _ found: cv4l2_format_entry, hasSizes: Bool) {
                pixel_format = V4L2Format.letters(found.pixel_format)
                description = deviceText(found.description)
                flags = DeviceReport.hexadecimal(found.flags)
                sizes =
                    hasSizes
                    ? DeviceReport.list(
                        atMost: 256, cv4l2_size(), { cv4l2_frame_size(node, found.pixel_format, $0, &$1) },
                        { Size(node, found.pixel_format, $0) }) : nil
            }
        }

        struct Size: Sendable, Encodable {
            /// Pixels, such as `640x480`; or a range with its steps, `16x16 to 3840x2160 by 2x2`.
            let size: String
            /// Seconds as fractions, such as `1/30`; or a range with its step. Those of the greatest size.
            let intervals: [String]

            init(_ node: Int32, _ pixelFormat: UInt32, _ found: cv4l2_size) {
                let greatest = "\(found.width)x\(found.height)"
                size =
                    !found.is_range
                    ? greatest
                    : "\(found.least_width)x\(found.least_height) to \(greatest) by "
                        + "\(found.width_step)x\(found.height_step)"
                intervals = DeviceReport.list(
                    atMost: 64, cv4l2_intervals(),
                    {
                        cv4l2_intervals(
                            node, pixelFormat, found.width, found.height, $0, &$1)
                    },
                    { found in
                        found.step.denominator == 0
                            ? text(found.least)
                            : "\(text(found.least)) to \(text(found.greatest)) by \(text(found.step))"
                    })
            }
        }

        static func text(_ interval: cv4l2_interval) -> String {
            "\(interval.numerator)/\(interval.denominator)"
        }

        struct PresentFormat: Sendable, Encodable {
            let pixel_format, size, flags: String
            /// V4L2's numbers.
            let field, colorspace, transfer, encoding, quantization: UInt32
            let planes: [Plane]

            /// Bytes in a row, and in a frame at the most.
            struct Plane: Sendable, Encodable {
                let stride, size: UInt32
            }

            init(_ found: cv4l2_present_format) {
                let format = found.format
                pixel_format = V4L2Format.letters(format.pixel_format)
                size = "\(format.width)x\(format.height)"
                flags = DeviceReport.hexadecimal(found.flags)
                (field, colorspace, transfer) = (found.field, found.colorspace, found.transfer)
                (encoding, quantization) = (found.encoding, found.quantization)
                planes = Cameras.planes(format.planes, format.plane_count) { (plane: cv4l2_plane_format) in
                    Plane(stride: plane.stride, size: plane.size)
                }
            }
        }

        struct Streaming: Sendable, Encodable {
            let capability, mode, interval: String

            init(_ found: cv4l2_streaming) {
                capability = DeviceReport.hexadecimal(found.capability)
                (mode, interval) = (DeviceReport.hexadecimal(found.mode), Buffers.text(found.interval))
            }
        }
    }
}
