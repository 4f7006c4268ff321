// What is sent while rows are waited for: batches without rows behind the schema, which comes by itself when
// the first rows are late.

import { EventEmitter } from 'node:events'
import { tableFromIPC } from 'apache-arrow'
import { expect, test, vi } from 'vitest'
import type { ArrowPart } from '../result/arrow-results.js'
import { emptyArrowBatch } from '../result/arrow-results.js'
import { type ArrowSchema, arrowSchema, int64, utf8 } from '../result/arrow-schema.js'
import { type AnswerCall, CallCancelled, type SendOptions, sendParts } from './answer-stream.js'
import { readFlightData } from './messages.js'

const schema = arrowSchema([
  { name: 'host', type: utf8, isNullable: true },
  { name: 'ok', type: { kind: 'boolean' }, isNullable: true },
  { name: 'count', type: int64, isNullable: true },
  {
    name: 'list',
    type: { kind: 'list' },
    isNullable: true,
    children: [{ name: 'item', type: utf8, isNullable: true }],
  },
])

class Call extends EventEmitter {
  cancelled = false
  readonly messages: Buffer[] = []

  write(bytes: Buffer, done: () => void): void {
    this.messages.push(Buffer.from(bytes))
    setImmediate(done)
  }

  /** All that was sent, read by Arrow's library. */
  table() {
    const parts = this.messages.flatMap((message) => {
      const { header, body } = readFlightData(message)
      const prefix = Buffer.alloc(8)
      prefix.writeUInt32LE(0xffffffff, 0)
      prefix.writeUInt32LE(header.length, 4)
      return [prefix, header, body]
    })
    return tableFromIPC(Buffer.concat(parts))
  }
}

/** The parts come when they are let through. */
function gated() {
  const gates: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => void gates.push(resolve))
  async function* parts(): AsyncGenerator<ArrowPart> {
    await wait()
    yield { kind: 'schema', schema }
    await wait()
    yield { kind: 'batch', batch: emptyArrowBatch(schema) }
  }
  const open = () => vi.waitFor(() => (gates.shift() ?? notYet())())
  return { parts: parts(), open }
}

function notYet(): never {
  throw new Error('nobody waits')
}

function sending(parts: AsyncIterable<ArrowPart>, options: SendOptions) {
  const call = new Call()
  const sent = sendParts(call as unknown as AnswerCall, parts, { keepAliveMs: 5, ...options })
  sent.catch(() => undefined)
  return { call, sent }
}

const atLeast = (call: Call, count: number) =>
  vi.waitFor(() => expect(call.messages.length).toBeGreaterThanOrEqual(count))

test('batches without rows keep the stream alive behind the schema', async () => {
  const { parts, open } = gated()
  const { call, sent } = sending(parts, {})
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(call.messages).toEqual([])
  await open()
  await atLeast(call, 4)
  await open()
  await sent
  const table = call.table()
  expect(table.schema.names).toEqual(['host', 'ok', 'count', 'list'])
  expect(table.numRows).toBe(0)
})

test('a schema that is known earlier comes once', async () => {
  const { parts, open } = gated()
  const bytes: number[] = []
  const { call, sent } = sending(parts, {
    schema: async () => schema,
    onSent: (count) => bytes.push(count),
  })
  await atLeast(call, 3)
  await open()
  await open()
  await sent
  const headers = call.messages.map((message) => readFlightData(message).header)
  expect(headers.filter((header) => Buffer.compare(header, headers[0]) === 0)).toHaveLength(1)
  expect(call.table().schema.names).toHaveLength(4)
  expect(bytes).toEqual(call.messages.map(({ length }) => length))
})

test('one that cannot be told, or comes too late, is that of the rows', async () => {
  const late = new Promise<ArrowSchema>((resolve) => setTimeout(() => resolve(schema), 60))
  const failed = () => Promise.reject(new Error('no'))
  for (const early of [async () => undefined, () => late, failed]) {
    const { parts, open } = gated()
    const { call, sent } = sending(parts, { schema: early })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await open()
    await late
    await open()
    await sent
    const headers = call.messages.map((message) => readFlightData(message).header)
    expect(headers.filter((header) => Buffer.compare(header, headers[0]) === 0)).toHaveLength(1)
  }
})

test('a client that goes ends it, and rows that fail do', async () => {
  async function* failing(): AsyncGenerator<ArrowPart> {
    await new Promise((resolve) => setTimeout(resolve, 20))
    yield* []
    throw new Error('broken')
  }
  await expect(sending(failing(), { schema: async () => schema }).sent).rejects.toThrow('broken')
  let isReturned = false
  async function* endless(): AsyncGenerator<ArrowPart> {
    try {
      yield { kind: 'schema', schema }
      for (;;) yield { kind: 'batch', batch: emptyArrowBatch(schema) }
    } finally {
      isReturned = true
    }
  }
  const { call, sent } = sending(endless(), {})
  await atLeast(call, 2)
  call.cancelled = true
  call.emit('cancelled')
  await expect(sent).rejects.toThrow(CallCancelled)
  expect(isReturned).toBe(true)
})
