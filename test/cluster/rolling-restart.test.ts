// Two processes over one catalog behind a balancer that asks `/health` and repeats nothing: each is stopped by SIGTERM
// and started again while clients write and ask. No request fails.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { send } from '../api/client.js'
import { run } from '../api/program.js'
import { postgresMissing, startPostgresServer } from '../catalog/postgres-databases.js'
import { freePort } from '../free-port.js'

interface Backend {
  readonly port: number
  isUp: boolean
}

/** Requests go to those that are up, in turn. */
async function balancer(backends: readonly Backend[]): Promise<string> {
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const forward = (from: IncomingMessage, to: ServerResponse) => {
    const up = backends.filter(({ isUp }) => isUp)
    const { port } = up[turn++ % up.length]
    const { method, url, headers } = from
    const sent = request({ host: '127.0.0.1', port, path: url, method, headers, agent })
    sent.on('response', (answer) => {
      to.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(to)
    })
    sent.on('error', (error) => to.writeHead(502).end(`${error}`))
    from.pipe(sent)
  }
  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const look = async (backend: Backend) => {
    const answer = await send(`http://127.0.0.1:${backend.port}/health`).catch(() => undefined)
    backend.isUp = answer?.status === 200
  }
  const timer = setInterval(() => void Promise.all(backends.map(look)), 50)
  onTestFinished(() => {
    clearInterval(timer)
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries === 1200) throw new Error('it did not come to pass')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

it.skipIf(postgresMissing !== undefined)(
  'fails no request while one after the other is started anew',
  async () => {
    const postgres = await startPostgresServer()
    onTestFinished(() => postgres.stop())
    const catalog = await postgres.newDatabase()
    const backends = [await freePort(), await freePort()].map((port) => ({ port, isUp: false }))
    const serve = (port: number): ChildProcess => {
      const address = ['--http-address', `127.0.0.1:${port}`, '--catalog', catalog]
      return run(['serve', '--memory', ...address, '--drain-seconds', '1', '--no-ui'])
    }
    const processes = backends.map(({ port }) => serve(port))
    const url = await balancer(backends)
    await until(() => backends.every(({ isUp }) => isUp))
    const body = JSON.stringify({ username: 'u', org: 'o', bucket: 'b' })
    const { auth } = (await send(`${url}/api/v2/setup`, { method: 'POST', body })).json
    const { token } = auth

    let isOver = false
    const statuses = new Map<number, number>()
    const ask = async (path: string, method: string, sent?: string) => {
      const part = sent === undefined ? {} : { body: sent }
      const { status, text } = await send(`${url}${path}`, { method, token, ...part })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    }
    const client = async () => {
      while (!isOver) {
        await ask('/api/v2/write?org=o&bucket=b', 'POST', 'm f=1')
        await ask('/query?db=b&q=SHOW+MEASUREMENTS', 'GET')
        await ask('/api/v2/buckets', 'GET')
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const clients = Promise.all([client(), client(), client()])
    clients.catch(() => undefined)
    for (const [i, backend] of backends.entries()) {
      const exited = once(processes[i], 'exit')
      processes[i].kill('SIGTERM')
      expect((await exited)[0]).toBe(0)
      processes[i] = serve(backend.port)
      await until(() => backend.isUp)
    }
    isOver = true
    await clients
    expect(statuses.get(204)).toBeGreaterThan(10)
    expect([...statuses.keys()].sort()).toEqual([200, 204])
    for (const child of processes) child.kill('SIGTERM')
    await Promise.all(processes.map((child) => once(child, 'exit')))
  },
  120_000,
)
