// What tests of the planner share: random points in an engine in several states, and what a script answers over
// them, as text that two ways of running it can be compared by.

import { seededRandom } from '../../src/platform/random.js'
import type { Cell } from '../../src/query/table.js'
import { type EngineState, EngineWorld } from '../store/engine-states.js'
import { type PlainResult, runFlux, testBucket } from './run-flux.js'

/** All that put a read of the store in the place of nodes, and small tables into batches. */
export const rules: readonly string[] = [
  'PushDownFilterRule',
  'PushDownSortRule',
  'PushDownLimitRule',
  'PushDownBareAggregateRule',
  'PushDownWindowAggregateRule',
  'PushDownGroupAggregateRule',
  'PushDownReduceRule',
  'PushDownPivotRule',
  'PushDownColumnsRule',
  'PushDownMapRule',
  'PushDownReadTagValuesRule',
  'PushDownReadTagKeysRule',
  'TableBatchRule',
]

/** Before a script: it runs as its nodes say. */
export const turnedOff = `import "planner"
option planner.disablePhysicalRules = [${rules.map((name) => `"${name}"`).join(', ')}]
`

const minuteNs = 60_000_000_000n

/** Two hours at the end of a week's shard and two at the start of the next. */
const startNs = 1_209_600_000_000_000n - 120n * minuteNs

function randomLines(seed: number): string {
  const random = seededRandom(seed)
  const lines: string[] = []
  const tags = [
    ',host=a,region=east',
    ',host=b,region=east',
    ',host=c,region=west',
    ',host=d',
    ',region=west',
    '',
  ]
  for (let minute = 0n; minute < 240n; minute += 2n) {
    const time = startNs + minute * minuteNs + BigInt(random.below(1000))
    for (const tag of tags) {
      if (random.below(4) === 0) continue
      const fields: string[] = []
      if (random.below(5) > 0) fields.push(`usage=${random.below(1000) / 8}`)
      if (random.below(3) > 0) fields.push(`procs=${random.below(50) - 20}i`)
      if (random.below(3) === 0) fields.push(`free=${random.below(50)}u`)
      if (fields.length > 0) lines.push(`cpu${tag} ${fields.join(',')} ${time}`)
      if (random.below(3) === 0) {
        lines.push(`log${tag} msg="m${random.below(9)}",ok=${random.below(2) > 0} ${time}`)
      }
    }
  }
  lines.push(`long\\ gap,host=a usage=1 ${startNs}`)
  return lines.join('\n')
}

export async function openWorld(state: EngineState, seed: number): Promise<EngineWorld> {
  const world = await EngineWorld.openState(state, seed)
  const parser = world.parser(testBucket)
  const lines = randomLines(seed).split('\n')
  for (let i = 0; i < lines.length; i += 200) {
    const text = Buffer.from(lines.slice(i, i + 200).join('\n'))
    const { batch } = parser.parse(text, { precision: 'ns', now: 0n })
    await world.write(testBucket, batch)
    parser.release(batch)
    await state.afterChange?.(world)
  }
  return world
}

/** Tables in their order; columns by name, since the service's own order is that of what it reads. */
function told(results: readonly PlainResult[]): unknown {
  return results.map(({ name, tables }) => ({
    name,
    tables: tables.map(({ key, columns, rows }) => ({
      key: sorted(key),
      columns: columns.map((column) => `${column.name} ${column.type} ${column.isGroup}`).sort(),
      rows: rows.map(sorted),
    })),
  }))
}

function sorted(cells: ReadonlyMap<string, Cell | null>): unknown[] {
  return [...cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, cell]) => [name, shown(cell)])
}

/** Sums of floats may be added up in another order. */
function shown(cell: Cell | null): Cell | null {
  return typeof cell === 'number' ? Number(cell.toPrecision(12)) : cell
}

/**
 * As text: comparing it takes a fraction of what comparing trees of objects does. `withPlaces`: an error is told with
 * its place in the script.
 */
export async function outcome(
  text: string,
  world: EngineWorld,
  withPlaces = false,
): Promise<string> {
  try {
    const answer = told(await runFlux(text, { store: world.engine }))
    return JSON.stringify(answer, (_, cell) => (typeof cell === 'bigint' ? `${cell}n` : cell))
  } catch (error) {
    const { message } = error as Error
    return withPlaces ? message : message.replace(/@[-\d:]+/g, '@')
  }
}
