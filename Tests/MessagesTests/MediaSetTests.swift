import Testing

@testable import Contract

struct MediaSetTests {
    private func read(_ json: String) throws -> MediaSet? {
        return try command(.media, json).body.get() as? MediaSet
    }

    @Test func aPageHasDefaults() throws {
        #expect(try read(#"{"list":{}}"#) == .list(.init()))
        var page = MediaSet.Page()
        (page.kind, page.before, page.limit) = (.recording, "a.mp4", 7)
        #expect(try read(#"{"list":{"kind":"recording","before":"a.mp4","limit":7}}"#) == .list(page))
    }

    @Test func aPartHasDefaults() throws {
        var part = MediaSet.Part(name: "a.jpg")
        #expect(part.offset == 0 && part.length == 131_072)
        #expect(try read(#"{"get":"a.jpg"}"#) == .get(part))
        (part.offset, part.length, part.version) = (5, 6, "v")
        #expect(try read(#"{"get":"a.jpg","offset":5,"length":6,"version":"v"}"#) == .get(part))
    }

    @Test func aFileIsNamed() throws {
        #expect(try read(#"{"describe":"a.jpg"}"#) == .describe("a.jpg"))
        #expect(try read(#"{"delete":"a.jpg"}"#) == .delete("a.jpg"))
    }

    @Test func aPartHasPropertiesBesideItsBytes() {
        let fields = MediaPartFields(
            name: "a.jpg", contentType: "image/jpeg", offset: 4, total: 9, version: "v")
        #expect(
            fields.properties.map { "\($0.name)=\($0.value)" } == [
                "name=a.jpg", "offset=4", "total=9", "version=v",
            ])
    }

    @Test func anAnswerHasAPageOrAFile() {
        var reply = Reply(.done, boot: 7, ts: "2026-11-21T09:05:38.958Z")
        (reply.camera, reply.node) = ("camera", "media")
        let listed = MediaFields(
            name: "a.jpg", kind: .photo, contentType: "image/jpeg", bytes: 9,
            createdAt: "2026-11-21T09:05:38.958Z")
        (reply.media, reply.next) = ([listed], "a.jpg")
        let text =
            #""name":"a.jpg","kind":"photo","content_type":"image/jpeg","bytes":9,"#
            + #""created_at":"2026-11-21T09:05:38.958Z""#
        expect(
            reply,
            is: """
                {"camera":"camera","node":"media","status":"done","boot":7,"media":[{\(text)}],"next":"a.jpg",
                 "ts":"2026-11-21T09:05:38.958Z"}
                """, on: "camera/media/reply")
        var file = listed
        (file.version, file.sha256) = ("v", String(repeating: "0", count: 64))
        (reply.media, reply.next, reply.file) = (nil, nil, file)
        expect(
            reply,
            is: """
                {"camera":"camera","node":"media","status":"done","boot":7,
                 "file":{\(text),"version":"v","sha256":"\(String(repeating: "0", count: 64))"},
                 "ts":"2026-11-21T09:05:38.958Z"}
                """, on: "camera/media/reply")
    }

    @Test func theStateCountsFiles() {
        expect(
            Stamped(
                MediaState(photos: .init(count: 2, bytes: 9), newest: "a.jpg"),
                Stamp(rev: 3, boot: 7, ts: "2026-11-21T09:05:38.958Z")),
            is: """
                {"photos":{"count":2,"bytes":9},"recordings":{"count":0,"bytes":0},"newest":"a.jpg","rev":3,
                 "boot":7,"ts":"2026-11-21T09:05:38.958Z"}
                """, on: "camera/media")
    }
}
