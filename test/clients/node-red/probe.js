// A node of Node-RED for tests: tells the process that started it what arrives and which messages other nodes are done
// with, and hands messages from there to any node.
module.exports = (RED) => {
  function Probe(settings) {
    RED.nodes.createNode(this, settings)
    this.on('input', (message, _send, done) => {
      process.send({ kind: 'arrived', at: settings.id, payload: message.payload })
      done()
    })
  }
  RED.nodes.registerType('probe', Probe)
  RED.hooks.add('onComplete', ({ node, error }) => {
    if (node.id === 'probe') return
    process.send({
      kind: 'done',
      at: node.id,
      error: error === undefined ? undefined : String(error),
    })
  })
  RED.events.on('flows:started', () => process.send({ kind: 'started' }))
  process.on('message', ({ to, message }) => RED.nodes.getNode(to).receive(message))
}
