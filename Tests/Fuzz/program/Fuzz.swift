import Decoders
import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argc: UnsafeMutablePointer<CInt>,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// libFuzzer for the decoder that the program is called by: `Tests/Fuzz/run` makes a link for each.
@main
struct Fuzz {
    static let name = CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? ""
    private static let check = decoders[name]

    static func main() {
        guard check != nil else {
            print("There is no decoder \(name); there are: \(decoders.keys.sorted().joined(separator: " "))")
            exit(64)
        }
        var (argc, argv) = (CommandLine.argc, CommandLine.unsafeArgv)
        exit(
            runDriver(&argc, &argv) { start, count in
                Fuzz.check?(Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            })
    }
}
