// Random histories (writes that collide, flushes, merges, restarts, crashes, deletes) on the embedded engine
// and on the plain one, its model: whatever happened, every read must give the model's answer. A failure
// prints its seed and the shrunk history; MILLRACE_SEED=<seed> repeats a run, MILLRACE_RUNS=<n>
// makes a longer one.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PlainStore } from '../../src/store/plain/plain-store.js'
import type { DeleteRequest, PreparedRead, ReadRequest } from '../../src/store/store.js'
import { EngineWorld } from './engine-states.js'
import { bucket, deletes, type Point, points, printPoint, reads } from './random-requests.js'
import { printRow, readRows } from './read-rows.js'

type Step =
  | { readonly kind: 'write'; readonly points: readonly Point[] }
  | { readonly kind: 'delete'; readonly request: DeleteRequest }
  | { readonly kind: 'flush' | 'compact' | 'forget' | 'reopen' | 'crash' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('write' as const), points }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), request: deletes }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom<'flush' | 'compact' | 'forget' | 'reopen' | 'crash'>(
        'flush',
        'flush',
        'compact',
        'forget',
        'reopen',
        'crash',
      ),
    }),
  },
)

async function write(
  world: EngineWorld,
  model: PlainStore,
  written: readonly Point[],
): Promise<void> {
  const parser = world.parser(bucket)
  const text = written.map(printPoint).join('\n')
  const { batch, errors } = parser.parse(Buffer.from(text), { precision: 'ns', now: 0n })
  expect(errors).toEqual([])
  const result = await world.write(bucket, batch)
  expect(await model.write(bucket, batch)).toEqual(result)
  parser.release(batch)
  expect(result).toEqual({ writtenCount: written.length, rejectedCount: 0, rejected: [] })
}

async function perform(world: EngineWorld, model: PlainStore, s: Step): Promise<void> {
  switch (s.kind) {
    case 'write':
      return write(world, model, s.points)
    case 'delete':
      await world.engine.delete(s.request)
      return model.delete(s.request)
    case 'flush':
      return world.engine.flush()
    case 'compact':
      return world.engine.compact()
    case 'forget':
      await world.engine.compact()
      return world.engine.forgetSeries()
    case 'reopen':
      return world.reopen()
    case 'crash':
      return world.crash()
  }
}

const limits = fc.constantFrom(
  { memtableBytesMax: 3000, compactionSegments: 2 },
  { compactionSegments: 3 },
  { compactionSegments: 1000 },
  { compactionSegments: 1000, blockCacheBytesMax: 4000 },
  { compactionSegments: 3, blockCacheBytesMax: 0 },
  { compactionSegments: 3, scanThreadsMax: 2, scanValuesMin: 0 },
)

/** Of zeros that differ by their sign alone either is the least and the greatest: which came first is not told. */
function printed(row: Parameters<typeof printRow>[0]): string {
  return printRow(row).replace(/((?:min|max)\(\w+\)=)-0(?=,|$)/g, '$10')
}

test('every read of every history gives the answer of the model', {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.MILLRACE_SEED ?? Date.now() % 2 ** 31)
  console.info(`model tests: MILLRACE_SEED=${seed}`)
  const history = fc.array(step, { minLength: 1, maxLength: 14 })
  const questions = fc.array(reads, { minLength: 12, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(limits, history, questions, async (chosen, steps, requests) => {
      const world = await EngineWorld.open(chosen)
      try {
        const model = new PlainStore(world.clock)
        const prepared = new Map<ReadRequest, PreparedRead>()
        const ask = async (request: ReadRequest) => {
          const expected = (await readRows(model, request)).map(printed)
          expect((await readRows(world.engine, request)).map(printed)).toEqual(expected)
          const read = (_: ReadRequest, signal: AbortSignal) =>
            prepared.get(request)!.read(request.range, signal)
          expect((await readRows({ read }, request)).map(printed)).toEqual(expected)
        }
        for (const s of steps) {
          await perform(world, model, s)
          if (prepared.size === 0 || s.kind === 'reopen' || s.kind === 'crash') {
            for (const request of requests) prepared.set(request, world.engine.prepare(request))
          }
          // Prepared once for all of a history: what is kept must not outlive what it was made from.
          for (const request of requests.slice(0, 3)) await ask(request)
        }
        for (const request of requests) await ask(request)
      } finally {
        await world.close()
      }
    }),
    { seed, numRuns: Number(process.env.MILLRACE_RUNS ?? 60) },
  )
})
