internal import Base
internal import CPage
internal import NIOCore

/// The files of the page, which are a part of the program.
enum PageFiles {
    struct File {
        let content: ByteBuffer
        let type: String
        /// Changes with the content, so that a browser asks whether its copy is up to date.
        let tag: String
    }

    /// By the last part of their addresses; the page itself has none.
    static let all: [String: File] = {
        var files: [String: File] = [:]
        var file = page_files()
        while let found = file?.pointee, let start = found.name {
            defer { file = file?.advanced(by: 1) }
            let name = String(cString: start)
            let bytes = [UInt8](UnsafeBufferPointer(start: found.bytes, count: found.count))
            let type = types.first { name.hasSuffix($0.key) }?.value ?? "application/octet-stream"
            files[name == "index.html" ? "" : name] = File(
                content: ByteBuffer(bytes: bytes), type: type, tag: "\"\(hash(bytes))\"")
        }
        return files
    }()

    private static func hash(_ bytes: [UInt8]) -> String {
        Hexadecimal.text(of: SHA256.hash(of: bytes).prefix(tagBytes))
    }

    /// Enough to tell all versions of a file apart.
    private static let tagBytes = 16

    private static let types = [
        ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
        ".webmanifest": "application/manifest+json", ".png": "image/png",
    ]
}
