// The other side of a benchmarked server, in a process of its own so that what it costs is not counted as the server's.
// Told by a message what to send, it sends the requests over some connections, each waiting for its answer before the
// next, and tells how long all of them took. Plain JavaScript and no HTTP library: it starts as it stands, and cheaply.

import { connect } from 'node:net'

process.on('message', async ({ port, connections, requests, status }) => {
  try {
    process.send(await sendAll(port, connections, requests, status))
  } catch (error) {
    process.send({ error: error.message })
  }
})

/** Resolves with the time taken, the bytes of the last body, and how long each answer was waited for. */
async function sendAll(port, connections, requests, status) {
  let next = 0
  let bytes = 0
  const waitsMs = []
  const startMs = performance.now()
  const connection = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true })
      let received = Buffer.alloc(0)
      let sentMs = 0
      const send = () => {
        sentMs = performance.now()
        if (next < requests.length) socket.write(requests[next++])
        else socket.end(resolve)
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed the connection')))
      socket.on('data', (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const answer = parseAnswer(received)
        if (answer === undefined) return
        received = Buffer.alloc(0)
        if (answer.status !== status) reject(new Error(`status ${answer.status}, not ${status}`))
        bytes = answer.bodyBytes
        waitsMs.push(performance.now() - sentMs)
        send()
      })
    })
  await Promise.all(Array.from({ length: connections }, connection))
  return { seconds: (performance.now() - startMs) / 1000, bytes, waitsMs }
}

/** undefined while some of the answer is still to come. */
function parseAnswer(received) {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = received.latin1Slice(0, end)
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    if (received.latin1Slice(received.length - 5) !== '0\r\n\r\n') return undefined
    return { status: Number(head.slice(9, 12)), bodyBytes: received.length - end - 4 }
  }
  const bodyBytes = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  if (received.length < end + 4 + bodyBytes) return undefined
  return { status: Number(head.slice(9, 12)), bodyBytes }
}
