// A thread comes when it is asked, stays while somebody waits for it, and goes when nobody has for a while. Real
// workers are started: what is shown is that they end, and that none is taken for another.

import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { IdleThread } from './idle-thread.js'

const program = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', (text) => {
    if (text === 'die') throw new Error('dead')
    parentPort.postMessage(text + '!')
  })
`

function echo(idleMs: number) {
  const workers: Worker[] = []
  const replies: string[] = []
  const failures: string[] = []
  const startWorker = () => {
    const worker = new Worker(program, { eval: true })
    workers.push(worker)
    return worker
  }
  const thread = new IdleThread<string, string>({
    startWorker,
    limits: {},
    idleMs,
    message: (reply) => {
      replies.push(reply)
      thread.release()
    },
    failed: (error) => failures.push(error.message),
  })
  const ask = async (text: string) => {
    const before = replies.length + failures.length
    thread.acquire()
    thread.post(text)
    await vi.waitFor(() => expect(replies.length + failures.length).toBe(before + 1), 20_000)
  }
  return { thread, workers, replies, failures, ask }
}

test('ends when idle, and comes back', async () => {
  const { thread, workers, replies, failures, ask } = echo(1)
  await ask('a')
  await vi.waitFor(() => expect(workers[0].threadId).toBe(-1), 20_000)
  await ask('b')
  expect(replies).toEqual(['a!', 'b!'])
  expect(workers.length).toBe(2)
  expect(failures).toEqual([])
  await thread.close()
  expect(workers[1].threadId).toBe(-1)
})

test('stays while it is asked', async () => {
  const { thread, workers, replies, ask } = echo(60_000)
  for (const text of ['a', 'b', 'c']) await ask(text)
  expect(replies).toEqual(['a!', 'b!', 'c!'])
  expect(workers.length).toBe(1)
  await thread.close()
})

test('one that died is told, and replaced', async () => {
  const { thread, workers, replies, failures, ask } = echo(60_000)
  await ask('die')
  await ask('a')
  expect(failures).toEqual(['dead'])
  expect(replies).toEqual(['a!'])
  expect(workers.length).toBe(2)
  await thread.close()
})
