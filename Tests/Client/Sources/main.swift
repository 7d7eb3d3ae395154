import V4L2MQTTClient

let client = try await V4L2MQTTClient(CommandLine.arguments.dropFirst().first ?? "localhost")
let follower = Task {
    for await cameras in client.changes {
        for camera in cameras { print(camera.id, camera.factor ?? 0, camera["recording"]?["on"] ?? "") }
    }
}
if let camera = await client.cameras.first(where: \.isOnline) {
    do {
        try await client.send("zoom", ["factor": 4, "rate": 2], to: camera.id)
        try await client.pinch(camera.id, scale: 0.5)
        let photo = try await client.photo(of: camera.id, ["quality": 90])
        print("a photo of", photo.count, "bytes")
    } catch let failure as V4L2MQTTClient.Failure {
        print(failure.code, failure.message)
    }
}
await client.close()
await follower.value
