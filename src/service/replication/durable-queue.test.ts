// The queue on the disk: order, starts after every kind of end, damage, and disks that fail. What goes through it to
// real servers: test/api/replications.test.ts.

import { expect, it } from 'vitest'
import { MemoryDisk } from '../../platform/memory-disk.js'
import { DurableQueue } from './durable-queue.js'

async function open(disk = new MemoryDisk()) {
  const damage: string[] = []
  await disk.makeDir('q')
  const queue = await DurableQueue.open({
    disk,
    folder: 'q',
    now: () => 7n,
    damaged: (file, offset) => damage.push(`${file} ${offset}`),
  })
  return { disk, queue, damage }
}

const bytes = (text: string) => Buffer.from(text)

async function drained(queue: DurableQueue, bytesMax = 1000): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const piece = await queue.peek(bytesMax)
    if (piece === undefined) return found
    found.push(piece.payloads.map((payload) => Buffer.from(payload).toString()).join('+'))
    await queue.take(piece.end)
  }
}

it('gives back in order what was appended, as much at a time as asked for', async () => {
  const { queue } = await open()
  await Promise.all(['a', 'bb', 'ccc'].map((text) => queue.append([bytes(text)])))
  expect(queue.waitingBytes).toBe(3 * 16 + 6)
  const first = await queue.peek(40)
  expect(first?.payloads).toHaveLength(2)
  expect(first?.appendedAt).toBe(7n)
  expect(await drained(queue, 1)).toEqual(['a', 'bb', 'ccc'])
  expect(queue.waitingBytes).toBe(0)
  await queue.append([bytes('d')])
  expect(await drained(queue)).toEqual(['d'])
})

it('goes on after a start with what was not taken, and forgets what was', async () => {
  const { disk, queue } = await open()
  await queue.append([bytes('a'), bytes('b')])
  const piece = await queue.peek(17)
  if (piece !== undefined) await queue.take(piece.end)
  await queue.append([bytes('c')])
  await queue.close()
  const again = await open(disk)
  expect(await drained(again.queue, 17)).toEqual(['b', 'c'])
  await again.queue.append([bytes('d')])
  await again.queue.close()
  const third = await open(disk)
  expect(await drained(third.queue)).toEqual(['d'])
  expect(third.damage).toEqual([])
})

it('cuts off what a crash left of the last write, and says where bytes are damaged', async () => {
  const { disk, queue } = await open()
  await queue.append([bytes('first'), bytes('second'), bytes('third')])
  await queue.close()
  const [name] = (await disk.list('q')).filter((file) => file.endsWith('.queue'))
  const file = await disk.open(`q/${name}`, 'write')
  const size = file.size()
  await file.write([bytes('half of a frame, whose rest never came')], size)
  const torn = await open(disk)
  expect(file.size()).toBe(size)
  expect(torn.damage).toEqual([])
  // In the second frame, with a good one behind it.
  await file.write([bytes('X')], 16 + 5 + 16)
  const damaged = await open(disk)
  expect(damaged.damage).toEqual([`q/${name} 21`])
  expect(await drained(damaged.queue)).toEqual(['first'])
})

it('removes files that were taken as a whole', async () => {
  const { disk, queue } = await open()
  const large = Buffer.alloc(3 * 1024 * 1024, 'x')
  for (let i = 0; i < 8; i++) await queue.append([large])
  const files = async () => (await disk.list('q')).filter((name) => name.endsWith('.queue')).length
  expect(await files()).toBe(3)
  expect(await drained(queue)).toHaveLength(8)
  expect(await files()).toBe(1)
})

it('counts nothing of what a disk did not take', async () => {
  const disk = new MemoryDisk()
  const { queue } = await open(disk)
  await queue.append([bytes('a')])
  let isBroken = false
  const create = disk.open.bind(disk)
  disk.open = async (path, mode) => {
    const file = await create(path, mode)
    if (mode !== 'create') return file
    const sync = file.sync.bind(file)
    file.sync = () => (isBroken ? Promise.reject(new Error('full')) : sync())
    return file
  }
  await queue.close()
  const second = await open(disk)
  await second.queue.append([bytes('b')])
  isBroken = true
  await expect(second.queue.append([bytes('lost')])).rejects.toThrow('full')
  isBroken = false
  await second.queue.append([bytes('c')])
  expect((await drained(second.queue)).join('+')).toBe('a+b+c')
})
