internal import MQTTBus
internal import Messages

/// Who sent a command, and where its answers go.
struct Asker {
    /// The command topic of the camera's node.
    let topic: String
    /// Where MQTT 5 says the answer goes; nil: beside the command's topic.
    var responseTopic: String?
    let correlation: [UInt8]?
    /// An answer has the QoS of its question, at most 1: who asks without a receipt wants none for the answer.
    let qos: QualityOfService
    var camera: String?
    var node: String?
    var envelope = Envelope()
    /// Answered only when it fails: a sample among many.
    var isQuiet = false

    init(_ message: BusMessage, topic: String) {
        self.topic = topic
        responseTopic = message.responseTopic
        correlation = message.correlation
        qos = min(message.qos, .atLeastOnce)
    }

    /// A reply with all that is known of the command.
    func reply(_ status: Reply.Status, boot: Int) -> Reply {
        var reply = Reply(status, boot: boot, ts: Timestamp.text())
        reply.id = envelope.id
        reply.client = envelope.client
        reply.camera = camera
        reply.node = node
        return reply
    }
}
