// The worker that asks and reads, by its messages: what it does where an answer cannot be had as Arrow, or not be read
// from it, or breaks off, and where it stops. Its requests are answered here; the streams are those of the service.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { TablePiece } from '../../src/query/language.js'
import { arrowSchema, encapsulatedSchema, utf8 } from '../../src/result/arrow-schema.js'
import { encodeArrowStream } from '../../src/result/arrow-stream.js'
import { tableBatches } from '../../src/result/table-batches.js'
import type { WorkerAnswer, WorkerMessage } from '../../ui/src/query/worker-messages.js'

const from = Date.parse('2026-01-01T00:00:00Z')
const csv = [
  '#group,false,false,false,false',
  '#datatype,string,long,dateTime:RFC3339,double',
  '#default,_result,,,',
  ',result,table,_time,_value',
  ',,0,2026-01-01T00:00:00Z,7',
  '',
].join('\r\n')

/** Not by a literal: its types are those of a browser. */
const workerFile = '../../ui/src/query/worker.js'

let ask: (message: WorkerMessage) => Promise<WorkerAnswer>
let asked: string[] = []
let answers: (() => Response)[] = []

beforeEach(async () => {
  const answered = new Map<number, (answer: WorkerAnswer) => void>()
  const self = {
    onmessage: (_: { data: WorkerMessage }) => {},
    postMessage(answer: WorkerAnswer) {
      if (!('progress' in answer)) answered.get(answer.id)?.(answer)
    },
  }
  vi.stubGlobal('self', self)
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(headers.accept)
    return answers.shift()!()
  })
  vi.resetModules()
  await import(workerFile)
  ask = (message) =>
    new Promise((resolve) => {
      if ('id' in message) answered.set(message.id, resolve)
      self.onmessage({ data: message })
    })
})

afterEach(() => {
  vi.unstubAllGlobals()
  asked = []
  answers = []
})

function request(part: { rowsMax?: number; hasOther?: boolean } = {}): WorkerMessage {
  const form = (accept: string) => ({ url: 'http://service/', headers: { accept }, body: '{}' })
  const other = { ...form('csv'), form: 'annotated-csv' as const }
  return {
    ...form('arrow'),
    ...{ id: 1, form: 'flux-arrow', moments: { from, to: from + 3_600_000 } },
    ...(part.hasOther === false ? {} : { otherwise: other }),
    ...{ rowsMax: part.rowsMax ?? 1_000_000, bytesMax: 64 * 1024 * 1024 },
  }
}

/** Two tables of one series each, as Flux gives them. */
async function* pieces(rowCount: number): AsyncGenerator<TablePiece> {
  const times = BigInt64Array.from({ length: rowCount }, (_, i) => BigInt(from + i) * 1_000_000n)
  const floats = Float64Array.from({ length: rowCount }, (_, i) => i)
  for (const [table, room] of ['attic', null].entries()) {
    yield {
      ...{ kind: 'table', name: '_result', table },
      columns: [
        { name: '_time', type: 'time', isGroup: false, value: null },
        { name: '_value', type: 'float', isGroup: false, value: null },
        { name: 'room', type: 'string', isGroup: true, value: room },
      ],
    }
    yield {
      ...{ kind: 'rows', rowCount },
      columns: [
        { kind: 'values', type: 'time', values: times, validity: undefined },
        { kind: 'values', type: 'float', values: floats, validity: undefined },
        { kind: 'constant', type: 'string', value: room },
      ],
    } as TablePiece
  }
}

async function arrowBytes(rowCount: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  const stream = encodeArrowStream(tableBatches(pieces(rowCount)), 'runs', 'many')
  for await (const part of stream) parts.push(part.slice())
  return new Uint8Array(Buffer.concat(parts))
}

function tablesOf(answer: WorkerAnswer) {
  if (!('tables' in answer)) throw new Error(JSON.stringify(answer))
  return answer.tables
}

it('reads what all rows of a table share, told once, over many batches', async () => {
  const bytes = await arrowBytes(200_000)
  // Sixteen bytes a row are its moment and its value.
  expect(bytes.length).toBeLessThan(400_000 * 16 * 1.01)
  answers = [() => new Response(bytes)]
  const answer = await ask(request())
  const [attic, none] = tablesOf(answer)
  expect([attic.tags, none.tags]).toEqual([{ room: 'attic' }, { room: '' }])
  expect([attic.rowCount, none.rowCount]).toEqual([200_000, 200_000])
  const [time, value, room] = attic.columns
  expect([time.values.at(-1), value.values.at(-1)]).toEqual([from + 199_999, 199_999])
  expect([room.dictionary, room.values.at(-1)]).toEqual([['attic'], 0])
  expect(none.columns[2].values.at(-1)).toBeNaN()
  // Long: its lines come thinned along with it.
  expect('lines' in answer && answer.lines?.series.map(({ whole }) => whole?.count)).toEqual([
    200_000, 200_000,
  ])
  expect(asked).toEqual(['arrow'])
})

it('stops behind as many rows as a page shows, and not at exactly as many', async () => {
  const bytes = await arrowBytes(10)
  answers = [() => new Response(bytes), () => new Response(bytes)]
  expect(await ask(request({ rowsMax: 20 }))).toMatchObject({ rowCount: 20, stoppedAt: undefined })
  expect(await ask(request({ rowsMax: 19 }))).toMatchObject({ rowCount: 20, stoppedAt: 'rows' })
})

const mark = Uint8Array.of(0xff, 0xff, 0xff, 0xff)
const item = { name: 'item', type: utf8, isNullable: true }
const lists = arrowSchema([
  { name: 'words', type: { kind: 'list' }, isNullable: true, children: [item] },
])

it.each([
  ['refused', () => new Response('{"message":"no"}', { status: 400 })],
  ['without its end', async () => new Response((await arrowBytes(3)).slice(0, -8))],
  ['cut in a message', async () => new Response((await arrowBytes(3)).slice(0, -40))],
  ['cut before the first', () => new Response(mark)],
  ['broken off', async () => new Response(brokenOff(await arrowBytes(3)))],
  ['of a type that is not read', () => new Response(encapsulatedSchema(lists))],
])('asks for text where Arrow is %s', async (_, make) => {
  const first = await make()
  answers = [() => first, () => new Response(csv)]
  const tables = tablesOf(await ask(request()))
  expect(tables.map(({ columns }) => columns.map(({ values }) => [...values]))).toEqual([
    [[from], [7]],
  ])
  expect(asked).toEqual(['arrow', 'csv'])
})

it('tells the refusal where there is no other form, and that of the other form where there is', async () => {
  const refusal = () =>
    new Response('{"code":"invalid","message":"no such bucket"}', {
      status: 400,
      headers: { 'x-request-id': '42' },
    })
  const failure = { message: 'no such bucket', code: 'invalid', status: 400, requestId: '42' }
  answers = [refusal]
  expect(await ask(request({ hasOther: false }))).toEqual({ id: 1, failure })
  answers = [() => new Response('', { status: 400 }), refusal]
  expect(await ask(request())).toEqual({ id: 1, failure })
})

it('asks nobody again who may not, or where nobody answers', async () => {
  answers = [() => new Response('{"message":"not yours"}', { status: 403 })]
  expect(await ask(request())).toMatchObject({ failure: { message: 'not yours', status: 403 } })
  answers = [
    () => {
      throw new TypeError('Failed to fetch')
    },
  ]
  const answer = await ask(request())
  expect(answer).toMatchObject({
    failure: { message: 'The service cannot be reached.', status: 0 },
  })
  expect(asked).toEqual(['arrow', 'arrow'])
})

/** As a connection that ends in the middle: a browser throws a TypeError. */
function brokenOff(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      if (controller.desiredSize === 1) controller.enqueue(bytes.slice(0, -20))
      controller.error(new TypeError('network error'))
    },
  })
}
