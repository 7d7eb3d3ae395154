package import Contract

extension Fleet {
    /// How far the states of a camera that is followed have come.
    struct Following {
        var isAsked = false
        /// Until when they may come; nil: nothing more is expected.
        var until: Instant?
    }

    /// Reads further states of these cameras, and of no others: those that were followed before lose them.
    package mutating func follow(_ cameras: Set<CameraAddress>, at time: Instant) {
        let ended = followed.keys.filter { !cameras.contains($0) }
        for address in ended.sorted() {
            followed[address] = nil
            actions.append(.unsubscribe(topics(of: address, needs.followed + needs.followedLive)))
            for node in needs.followed { drop(node, of: address, at: time) }
        }
        for address in cameras.sorted() where followed[address] == nil {
            followed[address] = Following(until: time + times.quiet)
            actions.append(
                .follow(topics(of: address, needs.followed), live: topics(of: address, needs.followedLive)))
        }
    }

    private func topics(of address: CameraAddress, _ nodes: [String]) -> [String] {
        nodes.map { "\(base)/\(address)/\($0)" }
    }

    private mutating func drop(_ node: String, of address: CameraAddress, at time: Instant) {
        guard let index = agents.index(forKey: address.agent), let number = numbers[node],
            var camera = agents.values[index].cameras[address.camera], !camera.sizes.isEmpty
        else { return }
        bytes -= Int(camera.sizes[number])
        agents.values[index].bytes -= Int(camera.sizes[number])
        camera.sizes[number] = 0
        camera.came &= ~(1 << UInt64(number))
        camera.facts.take(node, [], at: time)
        agents.values[index].cameras[address.camera] = camera
    }

    /// Asks for the states of a camera that have not come in time, once. One that comes does not show that
    /// the broker has the others: it may just have changed.
    mutating func askFollowed(at time: Instant) {
        guard reading.isConnected else { return }
        for (address, state) in followed.sorted(by: { $0.key < $1.key }) {
            guard let until = state.until, until <= time else { continue }
            followed[address]?.until = nil
            guard !state.isAsked, let period = times.asking, let camera = self[address],
                followedStates & ~camera.came != 0
            else { continue }
            followed[address] = Following(isAsked: true, until: time + period)
            actions.append(.ask(agent: address.agent, camera: address.camera))
        }
    }

    /// Whether states of a camera that is followed may still come, which the broker or the camera was asked
    /// for.
    package func isAwaited(_ address: CameraAddress) -> Bool { followed[address]?.until != nil }

    /// A camera that was asked has answered, and will publish.
    package mutating func promised(_ address: CameraAddress, at time: Instant) {
        let end = time + times.promise
        if followed[address]?.isAsked ?? false { followed[address]?.until = end }
    }
}
