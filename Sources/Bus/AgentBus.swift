/// What an agent uses of ``MQTTBus``. In virtual time a test is the broker instead.
///
/// See the members of the same names of ``MQTTBus``.
package protocol AgentBus: BusPublisher {
    var received: (BusMessage) -> Void { get set }
    var publicationRefused: (_ topic: String, _ reason: String) -> Void { get set }
    var connectionChanged: (BusEvent) -> Void { get set }
    var waitAfterFaults: Duration { get }
    var isHeld: Bool { get set }
    var retryDelay: (_ end: ConnectionEnd, _ usual: Duration) -> Duration { get set }

    func start(after wait: Duration)
    func subscribe(_ filters: [BusFilter])
    func unsubscribe(_ filters: [BusFilter])
    func pause(for delay: Duration, _ reason: String)
    func stop(then: @escaping () -> Void)
}

extension MQTTBus: AgentBus {}
