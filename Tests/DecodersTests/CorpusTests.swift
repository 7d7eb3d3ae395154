import Decoders
import Foundation
import TestSupport
import Testing

/// Each input of `Tests/Fuzz/corpus`, once.
struct CorpusTests {
    @Test(arguments: decoders.keys.sorted()) func theInputsAreReplayed(name: String) throws {
        let check = try #require(decoders[name])
        let inputs = try Corpus(of: name).inputs
        #expect(inputs.count >= 10, "the corpus of \(name) is lost")
        for input in inputs {
            let objections = Objections.of(check, input.bytes)
            #expect(objections.isEmpty, "\(name): \(input.name)")
        }
    }

    @Test func eachCorpusHasADecoder() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Corpus.folder)
        #expect(files.sorted() == decoders.keys.sorted().map { "\($0).txt" })
    }
}
