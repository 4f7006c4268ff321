// The memory for young objects stays as it began although threads begin, each of which sets V8's factor back. Seen on a
// thread: that of the test itself may have grown before.

import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { holdYoungSpaceAgain, keepYoungSpaceHeld } from './young-space.js'

/** Makes objects of which many live on, and says how large the space for young ones has become. */
const busyThread = `
  const { parentPort } = require('node:worker_threads')
  const { getHeapSpaceStatistics } = require('node:v8')
  parentPort.once('message', () => {
    let kept = []
    for (let round = 0; round < 12; round++) {
      kept = []
      for (let i = 0; i < 100_000; i++) kept.push({ i, list: [i] })
    }
    const space = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')
    parentPort.postMessage(space.space_size)
  })
`

afterEach(() => {
  setFlagsFromString('--semi-space-growth-factor=2')
})

async function youngBytes(onceOnline: () => void): Promise<number> {
  const worker = new Worker(busyThread, { eval: true })
  try {
    await once(worker, 'online')
    onceOnline()
    worker.postMessage('begin')
    const [bytes] = (await once(worker, 'message')) as [number]
    return bytes
  } finally {
    await worker.terminate()
  }
}

test('it stays small where it is held again after a thread has begun', async () => {
  keepYoungSpaceHeld()
  // 32 MB where it is forgotten.
  expect(await youngBytes(holdYoungSpaceAgain)).toBeLessThan(6 << 20)
})
