// swift-tools-version: 6.2
import PackageDescription

// A program of a user, as far as SwiftPM is concerned.
let package = Package(
    name: "client",
    dependencies: [.package(name: "v4l2mqtt", path: "../..")],
    targets: [
        .executableTarget(
            name: "client", dependencies: [.product(name: "V4L2MQTTClient", package: "v4l2mqtt")],
            path: "Sources")
    ])
