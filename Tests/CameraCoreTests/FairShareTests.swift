import Core
import TestSupport
import Testing
import ZoomModel

/// Who makes room when all places are taken.
struct FairShareTests {
    private let proved = ClientIdentity(account: "p")
    private let other = ClientIdentity(account: "q")

    private func place(_ owners: [ClientIdentity?], for newcomer: ClientIdentity?) -> Int? {
        func owner(_ client: ClientIdentity?) -> FairShare.Owner {
            FairShare.Owner(client, client?.isProved == true ? .proved : .unproved)
        }
        return FairShare.placeToFree(owners.map(owner), for: owner(newcomer))
    }

    @Test func theNewestPlaceOfTheClientWithTheMostIsFreed() {
        #expect(place(["a", "b", "b", "b", "a"], for: "c") == 3)
        #expect(place(["a", "b", "b", "b", "a"], for: "a") == nil, "it would have more than b then")
        #expect(place(["a", "b", "b", "b"], for: "a") == 3)
        #expect(place(["a", "b", "b", "b"], for: "b") == nil)
    }

    @Test func ofClientsWithEquallyManyTheOneWithTheOldestPlaceMakesRoom() {
        #expect(place(["a", "b", "a", "b"], for: "c") == 2)
        #expect(place(["a", "b", "c"], for: "d") == 0)
        #expect(place(["a", "b", "c"], for: "a") == nil)
    }

    @Test func clientsWithoutANameAreOne() {
        #expect(place([nil, nil, "a"], for: "b") == 1)
        #expect(place([nil, "a", "a"], for: nil) == nil)
        #expect(place([nil, "a", "a", "a"], for: nil) == 3)
    }

    @Test func namesThatClientsGiveThemselvesMakeRoomForProvedOnes() {
        #expect(place([proved, proved, "a"], for: proved) == 2)
        #expect(place([proved, proved, "a"], for: "b") == 2)
        #expect(place([proved, proved, proved], for: "b") == nil)
        #expect(place([proved, proved, proved], for: other) == 2)
        #expect(place([proved, ClientIdentity(claimed: "p")], for: ClientIdentity(claimed: "p")) == nil)
    }
}
