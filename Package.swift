// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is held to the same rules. Its debug information has the lines of functions for traces of
/// crashes, but not types and variables, whose description takes a tenth of the time of the build.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-gline-tables-only"]),
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

/// For code that takes no time which a user notices, such as tests: the code that it calls is optimised. To
/// optimise all code would double the time of the build.
let notOptimised = strict + [.unsafeFlags(["-Onone"])]

/// One folder under Sources, with the targets that it may import.
///
/// - Parameters:
///   - isOpenToTests: tests see its internal types (`@testable`), also in the release configuration.
///   - isOptimised: false for code that waits for a person or the network.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource] = [], isOpenToTests: Bool = false, isOptimised: Bool = true
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: (isOptimised ? strict : notOptimised)
            + (isOpenToTests ? [.unsafeFlags(["-enable-testing"])] : []))
}

/// The tests of a target.
///
/// - Parameters:
///   - target: if the tests are of one folder of a target, and named after it.
///   - isOptimised: for tests that compute with each pixel or step of a model, and those that count the
///     allocations of optimised code in closures of their own.
func tests(
    _ name: String, of target: String? = nil, _ dependencies: [Target.Dependency] = [],
    exclude: [String] = [], isOptimised: Bool = false
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.init(stringLiteral: target ?? name)] + dependencies,
        exclude: exclude, swiftSettings: isOptimised ? strict : notOptimised)
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = ["NIOCore", "NIOPosix", "NIOHTTP1"].map {
    Target.Dependency.product(name: $0, package: "swift-nio")
}

let package = Package(
    name: "v4l2mqtt",
    products: [
        .executable(name: "v4l2mqtt", targets: ["v4l2mqtt"]),
        .executable(name: "v4l2mqtt-console", targets: ["v4l2mqtt-console"]),
        .library(name: "V4L2MQTTClient", targets: ["V4L2MQTTClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    ],
    targets: [
        // C libraries, each with one importing folder, and shims for C that Swift can't import.
        .target(name: "CLinux", cSettings: hardened),
        // The files of the page, which #embed makes a part of the program.
        .target(name: "CPage", cSettings: hardened + [.unsafeFlags(["-std=c23"])]),
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(
            name: "COpenSSL", cSettings: hardened,
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
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

        // What every part uses: threads, files, digests, texts.
        library("Base", ["CLinux", "COpenSSL"]),
        // The rules of zoom: pure, imports no other target.
        library("ZoomModel", isOpenToTests: true),
        // What a user can configure, as values that are checked already.
        library("Settings", isOpenToTests: true),
        // The messages of the contract, and JSON.
        library("Contract", ["ZoomModel", "Settings"], isOpenToTests: true),
        // All agents of a broker and their cameras, as their messages describe them. No I/O.
        library("Fleet", ["Base", "Bus", "Contract"], isOpenToTests: true),
        library("Configuration", ["Base", "Contract", "Settings", "CYAML"], isOpenToTests: true),
        // Devices and their pictures.
        library(
            "Cameras", ["Base", "Settings", "Contract", "CLinux", "CV4L2", "CUdev"], isOpenToTests: true),
        // One camera. It sees no broker and no disk.
        library("Core", ["Base", "Settings", "ZoomModel", "Contract", "Cameras", logging]),
        library("State", ["Base", "Contract", "CLinux"], isOpenToTests: true),
        library(
            "Media",
            [
                "Core", "Settings", "Base", "Contract", "Cameras", "CLinux", "CJPEG", "CPacking", "CYUV",
                "CResampling", "CAV", "CALSA",
            ], isOpenToTests: true),
        library("Bus", ["Base", "Settings", "CLinux", "CMosquitto"], isOpenToTests: true),
        library(
            "FrontEnds",
            ["Core", "ZoomModel", "Settings", "Base", "Contract", "Bus", "Cameras", logging],
            resources: [.embedInCode("HomeAssistant/entities.json")], isOpenToTests: true),

        // The agent, and the controller on the command line.
        library(
            "Agent",
            [
                "Core", "Media", "FrontEnds", "Settings", "Base", "Contract", "State", "Bus", "Cameras",
                "CLinux", "Configuration", logging,
            ], isOpenToTests: true),
        library(
            "Ctl",
            [
                "Base", "BrokerOptions", "Bus", "CLinux", "Contract", "Fleet", "Settings", "ZoomModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], isOptimised: false),

        // The library for other programs.
        library(
            "V4L2MQTTClient", ["Base", "Bus", "Contract", "Fleet", "Settings"], isOpenToTests: true),

        // Options of ctl and of the console.
        library(
            "BrokerOptions",
            ["Base", "Bus", "Settings", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // The console with its page and its metrics.
        library(
            "Server",
            ["Base", "Bus", "Contract", "Fleet", "Settings", "CPage"] + nio
                + [.product(name: "NIOWebSocket", package: "swift-nio")],
            exclude: ["Console/README.md", "HTTP/Page"], isOpenToTests: true),
        .executableTarget(
            name: "v4l2mqtt-console",
            dependencies: [
                "Base", "BrokerOptions", "Bus", "CLinux", "Contract", "Server",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: staticRuntime),
        .executableTarget(
            name: "v4l2mqtt",
            dependencies: [
                "Agent", "Base", "BrokerOptions", "Bus", "CLinux", "Cameras", "Configuration", "Contract",
                "Ctl", "Settings", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: staticRuntime),

        // The example of schemas/README.md. Tests/Client is a package of its own that builds it, too.
        .executableTarget(
            name: "ClientExample", dependencies: ["V4L2MQTTClient"], path: "Tests/Client/Sources",
            swiftSettings: strict),

        // Writes what follows from the forms and from the keys (Tests/generate); no program links it.
        .executableTarget(
            name: "Generate", dependencies: ["Configuration", "Contract", "ZoomModel"],
            path: "Tests/Generator", swiftSettings: strict),

        // Compares photos with other libraries; Tests/Benchmarks/run starts it.
        .target(
            name: "CPhotoLibraries", path: "Tests/Benchmarks/photo/libraries", cSettings: hardened,
            linkerSettings: [.linkedLibrary("turbojpeg"), .linkedLibrary("yuv")]),
        .executableTarget(
            name: "PhotoBenchmark", dependencies: ["Cameras", "Media", "Settings", "CPhotoLibraries"],
            path: "Tests/Benchmarks/photo/program", swiftSettings: strict),

        // Times timers; Tests/Benchmarks/run starts it.
        .executableTarget(
            name: "TimerBenchmark", dependencies: ["Base"], path: "Tests/Benchmarks/timers",
            swiftSettings: strict),

        // Loads a broker with many agents, and measures; Tests/README.md says how.
        .executableTarget(
            name: "Load",
            dependencies: [
                "Agent", "Base", "Bus", "Cameras", "CLinux", "Contract", "FrontEnds", "Settings", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Load", swiftSettings: strict),

        // Test doubles and benches for several test targets.
        .target(
            name: "TestSupport",
            dependencies: ["Core", "Cameras", "ZoomModel", "Base", "Contract", "Settings", logging],
            path: "Tests/TestSupport", swiftSettings: strict),

        // Plays scenarios and random sequences against an agent in virtual time (Tests/Record/compare).
        .target(name: "CPlayerTime", path: "Tests/Record/time", cSettings: hardened),
        .target(
            name: "ScenarioPlayer",
            dependencies: [
                "Agent", "Base", "Bus", "Cameras", "Configuration", "Contract", "Core", "FrontEnds",
                "Settings", "TestSupport", logging,
            ],
            path: "Tests/Record/player", swiftSettings: strict),
        .executableTarget(
            name: "Player", dependencies: ["CPlayerTime", "ScenarioPlayer"], path: "Tests/Record/program",
            swiftSettings: strict),

        // Checks the V4L2 driver with a device; Tests/Hardware/test_conformance.py runs it in the guest.
        .executableTarget(
            name: "BackendConformance", dependencies: ["Cameras", "Base", "Settings", "TestSupport"],
            path: "Tests/Hardware/conformance", swiftSettings: strict, linkerSettings: staticRuntime),

        // Runs of ctl in virtual time.
        .target(
            name: "CtlScript", dependencies: ["Base", "Bus", "Contract", "Ctl"], path: "Tests/CtlScript",
            swiftSettings: notOptimised),

        // What must hold for any bytes from outside: the unit tests replay Tests/Fuzz/corpus, and
        // Tests/Fuzz/run fuzzes.
        .target(
            name: "Decoders",
            dependencies: [
                "Agent", "Base", "Bus", "Cameras", "CJPEG", "Configuration", "Contract", "Core", "Ctl",
                "CtlScript", "CV4L2", "Fleet", "FrontEnds", "Media", "Server", "Settings", "State",
                "TestSupport",
                "ZoomModel",
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Fuzz/decoders", swiftSettings: notOptimised),
        tests("Decoders", ["TestSupport"]),

        tests("LoopThread", of: "Base", ["TestSupport"]),
        tests("Digests", of: "Base"),
        tests("Exporter", of: "Server", ["Bus"]),
        tests("ZoomModel", ["TestSupport"], isOptimised: true),
        tests("Messages", of: "Contract", ["ZoomModel", "Settings", "TestSupport"]),
        tests("Fleet", ["Contract"]),
        tests("StateStore", of: "State", ["Base", "Contract", "TestSupport"]),
        tests("MQTTBus", of: "Bus", ["Base", "Settings", "TestSupport"]),
        tests("Cameras", ["Base", "Contract", "Settings", "TestSupport"]),
        tests("V4L2", of: "Cameras", ["Base", "Contract", "Settings", "TestSupport"]),
        .target(name: "CAllocations", path: "Tests/Allocations", cSettings: hardened),
        // Nothing here reaches a broker, a file or an encoder.
        tests(
            "CameraCore", of: "Core",
            ["CAllocations", "Cameras", "ZoomModel", "Base", "Contract", "Settings", "TestSupport", logging]),
        tests("Imaging", of: "Media", ["Cameras", "CAllocations", "Settings"], isOptimised: true),
        tests("Movies", of: "Media", ["Base", "Cameras", "Settings", "TestSupport"], isOptimised: true),
        tests("Sound", of: "Media", ["Base"]),
        tests("Configuration", ["Contract", "Settings", "TestSupport"]),
        tests("HomeAssistant", of: "FrontEnds", ["Contract", "Settings"], exclude: ["cameras", "golden"]),
        tests("Media", ["Core", "Cameras", "Base", "Contract", "Settings", "TestSupport"]),
        // The bus is a double; nothing here connects to a broker.
        tests(
            "MQTTFrontEnd", of: "FrontEnds",
            [
                "Core", "Cameras", "ZoomModel", "Base", "Contract", "Bus", "Settings", "TestSupport", logging,
            ]),
        // Without a broker: the connection is refused.
        tests(
            "Agent",
            [
                "Core", "Cameras", "Base", "Bus", "FrontEnds", "Contract", "ScenarioPlayer", "Settings",
                "State",
                "TestSupport", logging,
            ]),
        tests(
            "Console", of: "Server",
            [
                "Base", "Contract", "Bus", "Fleet", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        // Only PacketSizeTests listens.
        tests(
            "ConsoleServer", of: "Server",
            [
                "Bus", "Contract", "Settings", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        // The broker is a double.
        tests("V4L2MQTTClient", ["Base", "Bus", "Contract", "Fleet", "Settings"]),
        tests(
            "Ctl", ["CtlScript", "Fleet", "ZoomModel", "Base", "Contract", "Bus", "Settings", "TestSupport"]),
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
    package.products.removeAll { $0.name == "V4L2MQTTClient" }
    package.targets.removeAll {
        $0.isTest || $0.path?.hasPrefix("Tests/") == true || $0.name == "V4L2MQTTClient"
    }
}

// The tests of what starts threads, for ThreadSanitizer (Tests/sanitize): it finds nothing in the others,
// which take most of the time to compile.
if let kept = Context.environment["TESTS_OF"]?.split(separator: " ") {
    package.targets.removeAll { $0.isTest && !kept.contains($0.name.dropLast(5)) }
}
