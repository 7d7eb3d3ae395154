internal import Base
package import Bus
internal import Contract

extension CtlSession {
    /// Performs an operation with the camera, or with the cameras of the group, that the options select.
    ///
    /// - Returns: the exit code.
    /// - Throws: `CommandError` if the target on this machine can't be written, `BusError` or `LoopError` if
    ///   the client can't be created.
    package static func run(_ operation: CtlOperation, _ options: CtlOptions) throws -> Int32 {
        let operation = try operation.withCheckedTarget()
        let surroundings = try BusSurroundings(
            options, filters: filters(operation, options), maxPacketSize: operation.maxPacketSize,
            catchesSignals: operation.waitsForRecordings)
        return run(operation, options, surroundings)
    }

    package static func run(
        _ operation: CtlOperation, _ options: CtlOptions, _ surroundings: any Surroundings
    ) -> Int32 {
        let group: (name: String, request: FleetObservation.GroupRequest)? = options.group.map {
            (name: $0, request: operation.needsAllInfo ? .always : .whenIncomplete)
        }
        let session = CtlSession(
            options, surroundings,
            FleetObservation(
                options, asks: true, needsCameraInfo: true, nodes: ["info"], group: group,
                at: surroundings.now),
            observes: group != nil, needsV5: operation.needsV5, stateNodes: operation.requiredStates)
        do throws(Ending) {
            if let group {
                let report = try session.perform(operation, with: group.name)
                report.errors.forEach(session.printError)
                report.lines(json: options.json).forEach(session.output)
                return report.exitCode
            }
            let rule = operation.waitsForRecordings ? Answers.Rule.recording : .each
            try CameraRequests(session, session.chosenCamera(), rule).perform(operation)
            return 0
        } catch {
            return session.report(error)
        }
    }

    package static func filters(_ operation: CtlOperation, _ options: CtlOptions) -> [BusFilter] {
        if options.group == nil {
            return options.filters(cameraNodes: ["availability"] + operation.nodes) + options.answerFilters
        }
        let nodes = ["availability", "info"] + operation.nodes.filter { $0 != "info" }
        // The requests to single cameras name this topic.
        let answers =
            options.broker.isV5 ? [BusFilter(options.responseTopic, .newOnly, needsV5: true)] : []
        return options.groupFilters(cameraNodes: nodes) + answers
    }
}
