// The threads as the serving thread counts them: started when they are needed, acquired for each query and released
// once, given to the one that has least to do, and lost with what they ran.

import { expect, test } from 'vitest'
import type { Store } from '../../store/store.js'
import type { ThreadListener, ThreadPort, ThreadReply, ThreadRequest } from './messages.js'
import { type HandedQuery, QueryThreads } from './query-threads.js'

/** A thread that does nothing by itself. */
class SilentThread implements ThreadPort {
  readonly listener: ThreadListener
  readonly posted: ThreadRequest[] = []
  users = 0

  constructor(listener: ThreadListener) {
    this.listener = listener
  }

  post(request: ThreadRequest): void {
    this.posted.push(request)
  }

  acquire(): void {
    this.users++
  }

  release(): void {
    expect(this.users).toBeGreaterThan(0)
    this.users--
  }

  async close(): Promise<void> {}

  says(reply: ThreadReply): void {
    this.listener.reply(reply)
  }

  /** As a worker does, which nobody waits for any more then. */
  dies(): void {
    this.users = 0
    this.listener.failed(new Error('gone'))
  }
}

function makeThreads(count: number) {
  const ports: SilentThread[] = []
  const makePort = (listener: ThreadListener) => {
    const port = new SilentThread(listener)
    ports.push(port)
    return port
  }
  const store = { handOver: () => undefined } as unknown as Store
  return { ports, threads: new QueryThreads(store, { count, makePort }) }
}

function query(signal = new AbortController().signal): HandedQuery {
  return {
    query: {} as HandedQuery['query'],
    methods: {},
    figures: { rowsRead: 0, bytesMax: 0 },
    signal,
    stop: () => undefined,
    mistake: () => undefined,
  }
}

test('are started one by one, when all that are there have something to do', () => {
  const { ports, threads } = makeThreads(2)
  expect(threads.isOpen).toBe(false)
  expect(ports.map(({ posted }) => posted)).toEqual([[{ kind: 'start' }], []])
  ports[0].says({ kind: 'ready' })
  expect([threads.isOpen, threads.isFree, threads.readyCount]).toEqual([true, true, 1])
  expect(ports[1].posted).toEqual([])
  threads.run(query())
  expect([threads.isOpen, threads.isFree]).toEqual([true, false])
  expect(ports[1].posted).toEqual([{ kind: 'start' }])
  ports[1].says({ kind: 'ready' })
  threads.run(query())
  expect(ports.map(({ users }) => users)).toEqual([1, 1])
  expect(threads.count).toBe(2)
})

test('are not used where the store hands nothing over', () => {
  const makePort = (): never => {
    throw new Error('no thread is wanted')
  }
  expect(new QueryThreads({} as Store, { count: 2, makePort }).isOpen).toBe(false)
})

test('are released once for each query, however it ends', async () => {
  const { ports, threads } = makeThreads(1)
  expect(threads.isOpen).toBe(false)
  const [port] = ports
  port.says({ kind: 'ready' })
  expect(port.users).toBe(0)
  const ended = threads.run(query()).chunks
  port.says({ kind: 'end', run: 1, failure: undefined })
  expect(await ended.take()).toBeUndefined()
  expect(port.users).toBe(0)
  const [first, second] = [threads.run(query()).chunks, threads.run(query()).chunks]
  port.dies()
  await expect(Promise.resolve().then(() => first.take())).rejects.toThrow('gone')
  await second.close()
  expect([port.users, threads.readyCount]).toEqual([0, 0])
  expect(threads.isOpen).toBe(false)
  port.says({ kind: 'ready' })
  expect([port.users, threads.readyCount]).toEqual([0, 1])
})

test('are told when a query is stopped, and give back what nobody reads', async () => {
  const { ports, threads } = makeThreads(1)
  expect(threads.isOpen).toBe(false)
  const [port] = ports
  port.says({ kind: 'ready' })
  const stop = new AbortController()
  const { chunks } = threads.run(query(stop.signal))
  const piece = (memory: number): ThreadReply => {
    return { kind: 'bytes', run: 1, memory, bytes: new SharedArrayBuffer(8), length: 3 }
  }
  port.says(piece(0))
  port.says(piece(1))
  expect(await chunks.take()).toHaveLength(3)
  stop.abort(new Error('enough'))
  const closed = chunks.close()
  port.says(piece(2))
  port.says({ kind: 'end', run: 1, failure: undefined })
  await closed
  const said = port.posted.map((request) => [request.kind, 'memory' in request && request.memory])
  expect(said.filter(([kind]) => kind === 'taken')).toEqual([
    ['taken', 0],
    ['taken', 1],
    ['taken', 2],
  ])
  expect(said.filter(([kind]) => kind === 'stop').length).toBeGreaterThan(0)
})
