// A query that was prepared with other literals answers as one that is prepared for itself: held against every
// query of the corpus, with its literals replaced by random ones of the same kind.

import { fileURLToPath } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { type InfluxqlShape, shapeOf } from '../../src/influxql/syntax/query-shape.js'
import { seededRandom } from '../../src/platform/random.js'
import { type DataDrivenCase, dataDrivenFiles, runDataDriven } from '../datadriven.js'
import { EngineWorld, engineStates } from '../store/engine-states.js'
import { noLimits, runQueryCommand } from './query-commands.js'

const files = dataDrivenFiles(fileURLToPath(new URL('../corpus/influxql/query', import.meta.url)))
const variantsPerQuery = 4
/** Random times may lie far apart. */
const limits = { ...noLimits, bucketsMax: 2000 }

const counts = { variants: 0, answers: new Set<string>() }

const texts = [
  'a',
  'b',
  '',
  'server01',
  '1970-01-01T00:00:10Z',
  '1970-01-01T00:00:30.5Z',
  '1970-01-01 00:01:00',
  '1970-01-01',
  '2262-05-01T00:00:00Z',
  '1970-13-01T00:00:00Z',
]
const numbers = ['0', '1', '2', '5', '10', '1000000000', '20000000000', '9223372036854775807']

const random = seededRandom(17)

/** The text with other literals of the same kinds in their places. */
function variantOf(text: string, { literals, places }: InfluxqlShape): string {
  let variant = ''
  let copied = 0
  for (const [i, { kind }] of literals.entries()) {
    const [own] = /^('[^']*'|[\d.]+[a-z]*)/.exec(text.slice(places[i]))!
    variant += text.slice(copied, places[i]) + replacement(kind, own)
    copied = places[i] + own.length
  }
  return variant + text.slice(copied)
}

function replacement(kind: string, own: string): string {
  if (random.below(4) === 0) return own
  switch (kind) {
    case 'string':
      return `'${random.pick(texts)}'`
    case 'integer':
      return random.pick(numbers)
    case 'number':
      return `${random.below(20)}.${random.below(10)}`
    default:
      return `${random.below(100)}${random.pick(['s', 'm', 'ms', 'u', 'ns'])}`
  }
}

test.each(files.map((path) => [path.replace(/^.*\//, ''), path]))('%s', async (_, path) => {
  vi.stubEnv('MILLRACE_REWRITE', '')
  const [state] = engineStates
  const world = await EngineWorld.openState(state)
  const compare = async (c: DataDrivenCase) => {
    const apart = { limits, cachesPrepared: false }
    const expected = await runQueryCommand(world, state, c, apart)
    expect(await runQueryCommand(world, state, c, { limits }), c.input).toBe(expected)
    counts.variants++
    counts.answers.add(expected)
  }
  try {
    await runDataDriven(path, async (c) => {
      const answer = await runQueryCommand(world, state, c)
      const shape = c.command === 'query' ? shapeOf(c.input.trim()) : undefined
      for (let i = 0; shape !== undefined && i < variantsPerQuery; i++) {
        const input = variantOf(c.input.trim(), shape)
        expect(shapeOf(input)?.key).toBe(shape.key)
        await compare({ ...c, input })
      }
      return answer
    })
  } finally {
    await world.close()
  }
})

afterAll(() => {
  expect(counts.variants).toBeGreaterThan(1000)
  expect(counts.answers.size).toBeGreaterThan(300)
})
