// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is held to the same rules.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Every C target is compiled so that an overflow of a buffer ends the program instead of changing what it does:
/// checked versions of the functions of libc, where the compiler knows the size (they need an optimised build), and
/// a guard value on the stack of functions with arrays. `Tests/Guards/check` checks the targets and the program.
let hardened: [CSetting] = [
    .define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release)),
    .unsafeFlags(["-fstack-protector-strong"]),
]

/// Programs link the Swift runtime statically: they start faster, need less memory, and run on machines
/// without a toolchain. Tests link it dynamically, as the test runner requires; both come from one build.
///
/// `relro` and `now` make the tables of addresses of functions read-only before the program starts. The other
/// flags save memory. Packed relative relocations need glibc 2.36 on the machine that runs the
/// program. `-static-stdlib` adds `-export-dynamic`, which keeps unused functions; nothing here looks up a
/// symbol of the program at run time. `--icf=all` keeps one of several functions with the same instructions:
/// nothing here compares addresses of functions.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags([
        "-static-stdlib", "-use-ld=lld",
        "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now",
        "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
        "-Xlinker", "--no-export-dynamic", "-Xlinker", "--icf=all", "-Xlinker", "-O2",
    ]),
    .linkedLibrary("_FoundationCShims"),
    .linkedLibrary("_FoundationCollections"),
    .linkedLibrary("swiftSynchronization"),
]

/// One folder under Sources, with the targets that it may import.
///
/// - Parameters:
///   - isOpenToTests: tests see its internal types (`@testable`), also in the release configuration.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource] = [], isOpenToTests: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: strict + (isOpenToTests ? [.unsafeFlags(["-enable-testing"])] : []))
}

/// The tests of a target. They are compiled without optimisation, which would take as long as all else; what
/// they test is optimised.
///
/// - Parameter isOptimised: for tests that count the allocations of optimised code in closures of their own.
func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    isOptimised: Bool = false
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.init(stringLiteral: name)] + dependencies, exclude: exclude,
        swiftSettings: strict + (isOptimised ? [] : [.unsafeFlags(["-Onone"])]))
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "v4l2mqtt",
    products: [
        .executable(name: "v4l2mqtt", targets: ["v4l2mqtt"]),
        .executable(name: "v4l2mqtt-console", targets: ["v4l2mqtt-console"]),
        .executable(name: "v4l2mqtt-exporter", targets: ["v4l2mqtt-exporter"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    ],
    targets: [
        // C libraries, each with one importer, and shims for C that Swift can't import.
        .target(name: "CLinux", cSettings: hardened),
        // The files of the page, which #embed makes a part of the program.
        .target(name: "CPage", cSettings: hardened + [.unsafeFlags(["-std=c23"])]),
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(
            name: "COpenSSL", cSettings: hardened,
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CDigests", cSettings: hardened, linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CJPEG", cSettings: hardened, linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CPacking", cSettings: hardened),
        .target(name: "CResampling", cSettings: hardened),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        // Compiled with the headers of libavformat and libavcodec; the libraries are loaded by the first
        // recording.
        .target(name: "CAV", cSettings: hardened),
        // Likewise for libasound.
        .target(name: "CALSA", cSettings: hardened),
        .target(name: "CV4L2", cSettings: hardened, linkerSettings: [.linkedLibrary("v4lconvert")]),
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        // Values, drivers and libraries. None depends on a camera or an agent.
        library("LoopThread", ["CLinux"]),
        library("Settings"),
        library("Picture"),
        library("Clients"),
        library("Digests", ["CDigests"]),
        library("ZoomModel", ["Clients"]),
        library("Messages", ["Clients", "Settings"], isOpenToTests: true),
        library("StateStore", ["LoopThread", "Messages", "CLinux"], isOpenToTests: true),
        library("MQTTBus", ["LoopThread", "CLinux", "CMosquitto", "COpenSSL"], isOpenToTests: true),
        library("Cameras", ["LoopThread", "Picture"]),
        library(
            "V4L2", ["Cameras", "LoopThread", "Picture", "PlainText", "CLinux", "CV4L2", "CUdev"],
            isOpenToTests: true),
        library("Imaging", ["Picture", "CJPEG", "CPacking", "CYUV", "CResampling"], isOpenToTests: true),
        library(
            "Movies", ["LoopThread", "Picture", "Settings", "CLinux", "CAV"], isOpenToTests: true),
        library("Sound", ["LoopThread", "CALSA"]),
        library(
            "Configuration", ["LoopThread", "Messages", "Settings", "CYAML"], isOpenToTests: true),
        library("PlainText"),
        library("Terminal", ["CLinux", "PlainText"]),

        library(
            "CameraCore",
            [
                "Clients", "Digests", "Settings", "LoopThread", "ZoomModel", "Messages", "Cameras", "Picture",
                logging,
            ]),

        library(
            "Media",
            [
                "CameraCore", "Settings", "LoopThread", "Messages", "Cameras", "Picture", "Imaging", "Movies",
                "Sound", "Digests", "CLinux",
            ], isOpenToTests: true),

        library(
            "MQTTFrontEnd",
            ["CameraCore", "Clients", "Settings", "LoopThread", "Messages", "MQTTBus", "Cameras", logging],
            isOpenToTests: true),
        library(
            "HomeAssistant",
            ["CameraCore", "MQTTFrontEnd", "Settings", "LoopThread", "Messages", "MQTTBus", logging],
            resources: [.embedInCode("entities.json")], isOpenToTests: true),

        // The agent, and the controller on the command line.
        library(
            "Agent",
            [
                "CameraCore", "Media", "MQTTFrontEnd", "HomeAssistant", "Settings", "LoopThread",
                "Messages", "StateStore", "MQTTBus", "Cameras", logging,
            ], isOpenToTests: true),
        library(
            "Ctl", ["Terminal", "LoopThread", "Messages", "MQTTBus", "PlainText", "Digests", "CLinux"]),

        // Options of ctl and of the console.
        library(
            "BrokerOptions",
            ["MQTTBus", "Settings", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // What programs share that are servers and clients of a broker at once.
        library(
            "BusServer",
            [
                "LoopThread", "MQTTBus", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        // The exporter of metrics, a program of its own.
        library("Exporter", ["Messages", "MQTTBus"]),
        .executableTarget(
            name: "v4l2mqtt-exporter",
            dependencies: [
                "BrokerOptions", "BusServer", "Exporter", "MQTTBus", "Terminal",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: staticRuntime),
        // The console: the server of the page, a program of its own.
        library(
            "Console", ["Digests", "Messages", "MQTTBus"], exclude: ["README.md"], isOpenToTests: true),
        .target(
            name: "ConsoleServer",
            dependencies: [
                "BusServer", "Console", "CPage", "Digests", "LoopThread", "Messages", "MQTTBus",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            exclude: ["Page"],
            swiftSettings: strict + [.unsafeFlags(["-enable-testing"])]),
        .executableTarget(
            name: "v4l2mqtt-console",
            dependencies: [
                "BrokerOptions", "BusServer", "CLinux", "Console", "ConsoleServer", "Digests", "LoopThread",
                "Messages", "MQTTBus",
                "Terminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: staticRuntime),
        .executableTarget(
            name: "v4l2mqtt",
            dependencies: [
                "Agent", "BrokerOptions", "Ctl", "Terminal", "Configuration", "Settings", "MQTTFrontEnd",
                "LoopThread",
                "Messages", "Movies", "MQTTBus", "Cameras", "V4L2", "Imaging", "PlainText", "Digests",
                "CLinux",
                logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: staticRuntime),

        // Compares photos with other libraries; Tests/Benchmarks/run starts it.
        .target(
            name: "CPhotoLibraries", path: "Tests/Benchmarks/photo/libraries", cSettings: hardened,
            linkerSettings: [.linkedLibrary("turbojpeg"), .linkedLibrary("yuv")]),
        .executableTarget(
            name: "PhotoBenchmark", dependencies: ["Imaging", "Picture", "CPhotoLibraries"],
            path: "Tests/Benchmarks/photo/program", swiftSettings: strict),

        // Times timers; Tests/Benchmarks/run starts it.
        .executableTarget(
            name: "TimerBenchmark", dependencies: ["LoopThread"], path: "Tests/Benchmarks/timers",
            swiftSettings: strict),

        // Loads a broker with many agents, and measures; Tests/README.md says how.
        .executableTarget(
            name: "Load",
            dependencies: [
                "Agent", "Cameras", "HomeAssistant", "LoopThread", "Messages", "MQTTBus", "Settings",
                "Terminal", "CLinux", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Load", swiftSettings: strict),

        // Test doubles and benches for several test targets.
        .target(
            name: "TestSupport",
            dependencies: [
                "CameraCore", "Cameras", "Clients", "LoopThread", "Messages", "Picture", "Settings", logging,
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict),

        // Plays scenarios and random sequences against an agent in virtual time (Tests/Record/compare).
        .target(name: "CPlayerTime", path: "Tests/Record/time", cSettings: hardened),
        .target(
            name: "ScenarioPlayer",
            dependencies: [
                "Agent", "CameraCore", "Cameras", "Configuration", "LoopThread", "MQTTBus", "MQTTFrontEnd",
                "Messages",
                "Settings", "TestSupport", logging,
            ],
            path: "Tests/Record/player", swiftSettings: strict),
        .executableTarget(
            name: "Player", dependencies: ["CPlayerTime", "ScenarioPlayer"], path: "Tests/Record/program",
            swiftSettings: strict),

        // Checks the V4L2 driver with a device; Tests/Hardware/test_conformance.py runs it in the guest.
        .executableTarget(
            name: "BackendConformance", dependencies: ["Cameras", "LoopThread", "TestSupport", "V4L2"],
            path: "Tests/Hardware/conformance", swiftSettings: strict,
            linkerSettings: staticRuntime),

        // What must hold for any bytes from outside: the unit tests replay Tests/Fuzz/corpus, and
        // Tests/Fuzz/run fuzzes.
        .target(
            name: "Decoders",
            dependencies: [
                "Agent", "CameraCore", "Cameras", "CJPEG", "Clients", "Configuration", "Console",
                "ConsoleServer", "Ctl", "CV4L2", "Digests", "HomeAssistant", "LoopThread",
                "Imaging", "Messages", "MQTTBus", "Picture", "PlainText", "Settings", "StateStore",
                "Terminal", "V4L2",
            ],
            path: "Tests/Fuzz/decoders", swiftSettings: strict),
        tests("Decoders", ["TestSupport"]),

        tests("LoopThread", ["TestSupport"]),
        tests("Digests"),
        tests("Exporter", ["MQTTBus"]),
        tests("ZoomModel", ["Clients", "TestSupport"]),
        tests("Messages", ["Clients", "Settings", "TestSupport"]),
        tests("StateStore", ["LoopThread", "Messages", "TestSupport"]),
        tests("MQTTBus", ["LoopThread", "TestSupport"]),
        tests("Cameras", ["LoopThread", "Picture", "TestSupport"]),
        tests("V4L2", ["Cameras", "LoopThread", "Picture", "TestSupport"]),
        .target(name: "CAllocations", path: "Tests/Allocations", cSettings: hardened),
        // Nothing here reaches a broker, a file or an encoder.
        tests(
            "CameraCore",
            [
                "CAllocations", "Cameras", "Clients", "LoopThread", "Messages", "Picture", "Settings",
                "TestSupport", "ZoomModel", logging,
            ]),
        tests("Imaging", ["Picture", "CAllocations"], isOptimised: true),
        tests("Movies", ["Imaging", "LoopThread", "Picture", "Settings", "TestSupport"]),
        tests("Sound", ["LoopThread"]),
        tests("Configuration", ["Messages", "Settings", "TestSupport"]),
        tests("HomeAssistant", ["Messages", "Settings"], exclude: ["cameras", "golden"]),
        tests(
            "Media",
            [
                "CameraCore", "Cameras", "Digests", "Imaging", "LoopThread", "Messages", "Movies", "Picture",
                "Settings",
                "Sound", "TestSupport",
            ]),
        // The bus is a double; nothing here connects to a broker.
        tests(
            "MQTTFrontEnd",
            [
                "CameraCore", "Cameras", "Clients", "HomeAssistant", "LoopThread", "Messages",
                "MQTTBus", "Settings", "TestSupport", logging,
            ]),
        // Without a broker: the connection is refused.
        tests(
            "Agent",
            [
                "CameraCore", "Cameras", "LoopThread", "MQTTBus", "MQTTFrontEnd", "Messages",
                "ScenarioPlayer",
                "Settings", "TestSupport", logging,
            ]),
        tests("Console", ["Digests", "Messages", "MQTTBus"]),
        // Nothing here listens.
        tests(
            "ConsoleServer",
            [
                "Console", "MQTTBus", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        tests(
            "Ctl",
            [
                "Clients", "Terminal", "Digests", "Messages", "MQTTBus", "PlainText", "Settings",
                "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// libFuzzer is only there with its sanitizer (Tests/Fuzz/build.sh).
if Context.environment["TESTS_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["Decoders"], path: "Tests/Fuzz/program",
            swiftSettings: strict, linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
}

// The programs alone, all in one build: deploy/demo and the packages need no tests.
if Context.environment["V4L2MQTT_PROGRAMS"] != nil {
    package.targets.removeAll { $0.isTest || $0.path?.hasPrefix("Tests/") == true }
}
