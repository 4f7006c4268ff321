// The people of the overload benchmark, in a process of their own each: those who flood a service with requests and
// those whose requests are timed beside the flood. Told by a message what to do, and by another one to stop; answers
// with how long each request was waited for and with which status it ended.

import { Agent, request } from 'node:http'

let isStopped = false
const agents = []

process.on('message', async (message) => {
  if (message === 'stop') {
    isStopped = true
    // What is under way is given up: a flood has more to wait for than anybody wants to.
    for (const agent of agents) agent.destroy()
    return
  }
  const results = await Promise.all(message.lanes.map((lane) => runLane(message.port, lane)))
  process.send(results)
  process.disconnect()
})

/** `connections` that each send the lane's requests one after the other until told to stop. */
async function runLane(port, { name, connections, requests, pauseMs }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  agents.push(agent)
  const waitsMs = []
  const statuses = {}
  const texts = new Set()
  let next = 0
  const startMs = performance.now()
  const connection = async () => {
    while (!isStopped) {
      const sentMs = performance.now()
      const { status, text } = await send(agent, port, requests[next++ % requests.length])
      if (isStopped) break
      waitsMs.push(performance.now() - sentMs)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status !== 200 && status !== 204) {
        if (texts.size < 5) texts.add(text.slice(0, 200))
        // As clients are told to.
        await new Promise((resolve) => setTimeout(resolve, 1000))
      } else if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const seconds = (performance.now() - startMs) / 1000
  return { name, seconds, waitsMs, statuses, texts: [...texts] }
}

function send(agent, port, { method, path, headers, body }) {
  return new Promise((resolve) => {
    const failed = (error) => resolve({ status: error.code ?? 'failed', text: String(error) })
    const sent = request({ agent, port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        if (text.length < 1000) text += chunk.toString('latin1', 0, 1000)
      })
      response.on('error', failed)
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    sent.on('error', failed)
    sent.end(body)
  })
}
