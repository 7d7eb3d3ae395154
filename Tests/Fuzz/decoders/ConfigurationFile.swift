import Contract

@testable import Configuration

/// The text of a configuration file. Each error has a place and a message; a valid configuration is in its
/// ranges and can be rendered, and what was rendered is read as the same.
func checkConfiguration(_ bytes: [UInt8]) {
    var layers = Layers()
    layers.add(file: bytes, name: "fuzz.yaml")
    check(layers, hostName: "host")
    let problems = LoadedConfiguration.problems(in: bytes, name: "fuzz.yaml")
    expect(problems.count <= 100, "\(problems.count) problems are reported")
    // "Line" breaks of YAML's older versions count too: NEL, LS and PS, and a return by itself.
    let lines = 2 + bytes.count { [0x0A, 0x0D, 0x85, 0xA8, 0xA9].contains($0) }
    for problem in problems {
        check(problem)
        guard case .file("fuzz.yaml", let line) = problem.origin else { continue }
        expect((1...lines).contains(line), "line \(line) of \(lines): \(problem)")
    }
    checkFleet(bytes)
}

/// The same bytes as a document of a fleet: it is refused with a reason, or has only values that fit their
/// keys.
private func checkFleet(_ bytes: [UInt8]) {
    do throws(FleetRefusal) {
        let fleet = try FleetConfiguration(bytes)
        expect(fleet.version >= 1 && fleet.problem(after: fleet) == nil, "version \(fleet.version)")
        var layers = Layers()
        layers.add(fleet.values)
        expect(layers.errors.isEmpty, "an accepted document has errors: \(layers.errors)")
    } catch {
        expect(!error.error.message.isEmpty, "a refusal without a reason")
    }
}
