// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is held to the same rules.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The program carries the Swift runtime in itself: it starts faster, needs less memory, and runs on machines
/// without a toolchain. Tests link the runtime dynamically, as the test runner needs; both come from one build.
let carriesItsRuntime: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib"]),
    .linkedLibrary("_FoundationCShims"),
    .linkedLibrary("_FoundationCollections"),
    .linkedLibrary("swiftSynchronization"),
]

/// One folder under Sources, with the targets that it may import.
///
/// - Parameter isOpenToTests: tests see its internal types (`@testable`), also in the release configuration.
func room(
    _ name: String, _ dependencies: [Target.Dependency] = [], isOpenToTests: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies,
        swiftSettings: strict + (isOpenToTests ? [.unsafeFlags(["-enable-testing"])] : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.init(stringLiteral: name)] + dependencies, exclude: exclude,
        swiftSettings: strict)
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "v4l2mqtt",
    products: [.executable(name: "v4l2mqtt", targets: ["v4l2mqtt"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // System libraries, each with one owner, and the shims that Swift can't write.
        .target(name: "CLinux"),
        .systemLibrary(
            name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CResampling"),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        // Compiled with the headers of libavformat and libavcodec, which it loads when they are needed.
        .target(name: "CAV"),
        // The same for libasound.
        .target(name: "CALSA"),
        .target(name: "CV4L2", linkerSettings: [.linkedLibrary("v4lconvert")]),
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        // Rooms that know nothing of each other.
        room("LoopThread", ["CLinux"]),
        room("Settings"),
        room("Picture"),
        room("ZoomModel"),
        room("Messages", ["Settings", "CJansson"]),
        room("StateStore", ["LoopThread", "CLinux"]),
        room("MQTTBus", ["LoopThread", "CMosquitto"], isOpenToTests: true),
        room("Cameras", ["LoopThread", "Picture"]),
        room("V4L2", ["Cameras", "LoopThread", "Picture", "CLinux", "CV4L2", "CUdev"]),
        room("Imaging", ["Picture", "CJPEG", "CYUV", "CResampling"]),
        room("Movies", ["Picture", "Settings", "CLinux", "CAV"]),
        room("Sound", ["LoopThread", "CALSA"]),
        room("Configuration", ["Settings", "CYAML"], isOpenToTests: true),
        room("HomeAssistant"),
        room("Console", ["CLinux"]),

        room(
            "CameraCore",
            [
                "Settings", "LoopThread", "ZoomModel", "Messages", "Cameras", "Picture", logging,
            ]),

        room(
            "Media",
            [
                "CameraCore", "Settings", "LoopThread", "Messages", "Cameras", "Picture", "Imaging", "Movies",
                "Sound", "CLinux",
            ]),

        room(
            "MQTTFrontEnd",
            ["CameraCore", "Settings", "LoopThread", "Messages", "MQTTBus", "Cameras", logging]),
        room(
            "HomeAssistantFrontEnd",
            [
                "CameraCore", "MQTTFrontEnd", "HomeAssistant", "Settings", "LoopThread", "Messages",
                "MQTTBus",
                logging,
            ]),

        // Where they meet.
        room(
            "Agent",
            [
                "CameraCore", "Media", "MQTTFrontEnd", "HomeAssistantFrontEnd", "Settings", "LoopThread",
                "Messages", "StateStore", "MQTTBus", "Cameras", logging,
            ]),
        room("Ctl", ["Console", "LoopThread", "Messages", "MQTTBus"]),
        .executableTarget(
            name: "v4l2mqtt",
            dependencies: [
                "Agent", "Ctl", "Console", "Configuration", "Settings", "MQTTFrontEnd", "LoopThread",
                "Messages", "MQTTBus", "Cameras", "V4L2", "Imaging", "CLinux",
                logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: carriesItsRuntime),

        // Measures photos beside their peers; Tests/Benchmarks/run starts it.
        .target(
            name: "CPhotoLibraries", path: "Tests/Benchmarks/photo/libraries",
            linkerSettings: [.linkedLibrary("turbojpeg"), .linkedLibrary("yuv")]),
        .executableTarget(
            name: "PhotoBenchmark", dependencies: ["Imaging", "Picture", "CPhotoLibraries"],
            path: "Tests/Benchmarks/photo/program", swiftSettings: strict),

        // What several test targets share.
        .target(
            name: "TestSupport",
            dependencies: [
                "CameraCore", "Cameras", "LoopThread", "Messages", "Picture", "Settings", logging,
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict),

        // Checks the V4L2 driver with a device; Tests/Hardware/test_conformance.py runs it in the guest.
        .executableTarget(
            name: "BackendConformance", dependencies: ["Cameras", "LoopThread", "TestSupport", "V4L2"],
            path: "Tests/Hardware/conformance", swiftSettings: strict, linkerSettings: carriesItsRuntime),

        tests("LoopThread"),
        tests("ZoomModel"),
        tests("Messages", ["Settings"]),
        tests("StateStore"),
        tests("MQTTBus"),
        tests("Cameras", ["LoopThread", "Picture", "TestSupport"]),
        tests("V4L2", ["Cameras"]),
        .target(name: "CAllocations", path: "Tests/Allocations"),
        // Nothing here reaches a broker, a file or an encoder.
        tests(
            "CameraCore",
            [
                "CAllocations", "Cameras", "LoopThread", "Messages", "Picture", "Settings", "TestSupport",
                "ZoomModel", logging,
            ]),
        tests("Imaging", ["Picture", "CAllocations"]),
        tests("Movies", ["Imaging", "Picture", "Settings"]),
        tests("Sound", ["LoopThread"]),
        tests("Configuration", ["Settings"]),
        tests("HomeAssistant", ["HomeAssistantFrontEnd", "Messages"], exclude: ["cameras", "golden"]),
        tests(
            "Media", ["CameraCore", "Cameras", "Imaging", "LoopThread", "Messages", "Picture", "Settings"]),
        // The bus is a double; nothing here connects to a broker.
        tests(
            "MQTTFrontEnd",
            [
                "CameraCore", "Cameras", "HomeAssistantFrontEnd", "LoopThread", "Messages", "MQTTBus",
                "Settings", "TestSupport", logging,
            ]),
        tests("Ctl", ["Console", "Messages", "MQTTBus", "Settings"]),
    ],
    swiftLanguageModes: [.v6]
)
