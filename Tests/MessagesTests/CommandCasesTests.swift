import FoundationEssentials
import TestSupport
import Testing

@testable import Contract

/// The decoder against the cases in `Tests/Cases`. `test_command_cases.py` holds the schemas against the same
/// files.
struct CommandCasesTests {
    @Test(arguments: try CommandCase.ofNodes()) func theDecoderAnswersAsTheCaseSays(_ each: CommandCase) {
        each.check()
    }

    @Test(arguments: try CommandCase.common()) func aFieldOfAllCommandsIsReadOnEachNode(_ each: CommandCase) {
        each.check()
    }

    @Test(arguments: try CommandCase.malformed()) func whatIsNoCommandIsRefusedOnEachNode(_ each: CommandCase)
    {
        each.check()
    }
}

/// `refresh/set` is no node of a camera; its payloads are read by their own type.
struct RefreshCasesTests {
    @Test(arguments: try CommandCase.ofRefresh()) func theDecoderAnswersAsTheCaseSays(_ each: RefreshCase) {
        let error = RefreshSet(payload: Array(each.payload.utf8)).error
        #expect(error?.code == each.error)
        #expect(error?.field == each.field)
    }
}

/// A payload of `refresh/set`, and the answer to it; without an error it is taken.
struct RefreshCase: Sendable, CustomTestStringConvertible {
    let payload: String
    let error: CommandError.Code?
    let field: String?

    var testDescription: String { "refresh \(payload.prefix(100))" }
}

/// One payload for one node, and the decoder's answer to it.
struct CommandCase: Sendable, CustomTestStringConvertible {
    let node: Node
    let payload: String
    /// Nil: the decoder takes the payload.
    let error: CommandError.Code?
    let field: String?

    var testDescription: String { "\(node.name) \(payload.prefix(100))" }

    func check() {
        if let error {
            expectRefusal(node, payload, error, field: field)
        } else {
            #expect(refusal(node, payload) == nil)
        }
    }

    // MARK: The files

    static func ofNodes() throws -> [CommandCase] {
        try Node.allCases.flatMap { node in
            let file = try read(NodeFile.self, node.name)
            #expect(file.node == node.name)
            return try file.cases.map { try $0.on(node) }
        }
    }

    static func common() throws -> [CommandCase] {
        let file = try read(CommonFile.self, "common")
        return try Node.allCases.flatMap { node in
            guard case .object(let command) = file.commands[node.name] else {
                throw CaseError.incomplete("common.json has no command for \(node.name)")
            }
            return try file.cases.filter { $0.except?[node.name] == nil }.map { each in
                let payload = try JSONValue.object(command.merging(each.fields) { $1 }).payload
                return CommandCase(node: node, payload: payload, error: each.error, field: each.field)
            }
        }
    }

    static func ofRefresh() throws -> [RefreshCase] {
        try read(NodeFile.self, "refresh").cases.map {
            RefreshCase(payload: $0.payload, error: $0.error, field: $0.field)
        }
    }

    static func malformed() throws -> [CommandCase] {
        let file = try read(MalformedFile.self, "malformed")
        return try Node.allCases.filter { file.nodes.contains($0.name) }.flatMap { node in
            try file.cases.map { try $0.on(node) }
        }
    }

    private enum CaseError: Error {
        case unreadable(String)
        case incomplete(String)
    }

    private struct NodeFile: Decodable {
        let node: String
        let cases: [Entry]
    }

    private struct MalformedFile: Decodable {
        let nodes: [String]
        let cases: [Entry]
    }

    private struct CommonFile: Decodable {
        struct Entry: Decodable {
            let fields: [String: JSONValue]
            let error: CommandError.Code
            let field: String?
            let except: [String: String]?
        }

        let commands: [String: JSONValue]
        let cases: [Entry]
    }

    /// A case as its file has it: the payload as JSON or as text, and either `valid` or the `error`.
    private struct Entry: Decodable {
        let payload: String
        let error: CommandError.Code?
        let field: String?

        enum CodingKeys: String, CodingKey { case payload, text, valid, error, field }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            payload =
                try fields.decodeIfPresent(String.self, forKey: .text)
                ?? fields.decode(JSONValue.self, forKey: .payload).payload
            error = try fields.decodeIfPresent(CommandError.Code.self, forKey: .error)
            field = try fields.decodeIfPresent(String.self, forKey: .field)
            let isValid = try fields.decodeIfPresent(Bool.self, forKey: .valid) ?? false
            guard isValid == (error == nil) else {
                throw CaseError.incomplete("\(payload): a case is either valid or has an error")
            }
        }

        func on(_ node: Node) throws -> CommandCase {
            CommandCase(node: node, payload: payload, error: error, field: field)
        }
    }

    private static func read<File: Decodable>(_ type: File.Type, _ name: String) throws -> File {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let path = "/\(folder)/Cases/\(name).json"
        guard let data = FileManager.default.contents(atPath: path) else { throw CaseError.unreadable(path) }
        return try JSONDecoder().decode(type, from: data)
    }
}

extension JSONValue {
    /// The payload of a command.
    fileprivate var payload: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}

extension CommandError.Code: Decodable {}
