@testable import Configuration

/// The text of a configuration file. Each error has a place and a message; a valid configuration is in its
/// ranges and can be rendered, and what was rendered is read as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
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
    return 0
}
