import Configuration
import Contract
import Foundation

/// Writes the files that follow from the forms and from the keys of the configuration; `--check` compares
/// them instead. Called by `Tests/generate` in the folder of the project.
@main
struct Generate {
    static func main() throws {
        let isCheck = CommandLine.arguments.contains("--check")
        var stale: [String] = []
        for (path, text) in files {
            let bytes = Array(text.utf8)
            if FileManager.default.contents(atPath: path).map({ Array($0) }) == bytes { continue }
            stale.append(path)
            if !isCheck { try Data(bytes).write(to: URL(filePath: path)) }
        }
        for path in stale { print(isCheck ? "\(path) is stale: run Tests/generate" : path) }
        if isCheck, !stale.isEmpty { exit(1) }
    }

    private static var files: [(path: String, text: String)] {
        SchemaFile.all.map { ("schemas/\($0.file)", $0.text) } + [
            changed("schemas/common.schema.json", SchemaFile.common),
            changed("schemas/fleet.config.schema.json", FleetSchema.text),
            changed("schemas/asyncapi.yaml", AsyncAPI.text), changed("schemas/reference.md", Reference.text),
            ("deploy/keys.md", Keys.table()),
            changed("deploy/broker_setup/acl.py") {
                $0.replacing("nodes", Node.allCases.map { "\"\($0.rawValue)\"," })
            },
        ] + ["commands", "pages", "topics"].map { changed("Tests/Fuzz/dictionaries/\($0)", Words.text) }
    }

    /// A file with parts that are written by hand.
    private static func changed(_ path: String, _ change: (String) -> String) -> (String, String) {
        (path, change(String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)))
    }
}

extension String {
    /// Replaces the lines between `# <part>` and `# </part>`.
    func replacing(_ part: String, _ new: [String]) -> String {
        var (lines, isInside): ([String], Bool) = ([], false)
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasSuffix("# </\(part)>") { isInside = false }
            if !isInside { lines.append(String(line)) }
            if line.hasSuffix("# <\(part)>") {
                isInside = true
                lines += new.map { line.prefix { $0 == " " } + $0 }
            }
        }
        return lines.joined(separator: "\n")
    }
}
