// The commands of the text cases under corpus/store, carried out on an engine. Times are
// nanoseconds, or numbers with a unit (`10s`, `-3h`), or `min` and `max`; ranges are half open and
// cover everything unless told.
//
//   write [bucket=b] [precision=ns]       input: line protocol; output: what was refused
//   generate measurement=m series=10 rows=100 [start= step=]    a data set by formula
//   read measurement=m [start= stop= fields=(a,b) where="..." desc limit=n digest]
//        [every=10s offset=1s] [agg="mean(v), max(v)"] [times]
//   schema kind=... [measurement= tag= start= stop= where="..."]
//   delete [start= stop= measurement= where="..."]
//   drop, retention 24h, clock 5m

import { createHash } from 'node:crypto'
import { seriesKey } from '../../src/column/series.js'
import { allTime, timeMax, timeMin } from '../../src/column/time.js'
import type { Precision } from '../../src/line-protocol/parser.js'
import { collectPages } from '../../src/store/schema-pages.js'
import type {
  Aggregate,
  AggregateFunction,
  BucketId,
  ReadRequest,
  SchemaRequest,
} from '../../src/store/store.js'
import type { DataDrivenCase } from '../datadriven.js'
import type { EngineState, EngineWorld } from './engine-states.js'
import { parsePredicate, parseTagPredicate } from './predicate-text.js'
import { printRow, type ReadRow, readRows } from './read-rows.js'

const changes = ['write', 'generate', 'delete', 'drop', 'retention']

/** Carries out one case, in one state; its output. */
export async function runStoreCommand(
  world: EngineWorld,
  state: EngineState,
  c: DataDrivenCase,
): Promise<string> {
  const output = await perform(world, c)
  if (changes.includes(c.command)) await state.afterChange?.(world)
  await state.afterCommand?.(world)
  return output
}

async function perform(world: EngineWorld, c: DataDrivenCase): Promise<string> {
  const args = new Arguments(c)
  switch (c.command) {
    case 'write':
      return writeText(world, args.bucket, c.input, (args.text('precision') ?? 'ns') as Precision)
    case 'generate':
      return generate(world, args)
    case 'read':
      return orError(() => read(world, args))
    case 'schema':
      return orError(() => schema(world, args))
    case 'delete':
      await world.engine.delete({ bucket: args.bucket, range: args.range(), ...args.tagFilter() })
      return ''
    case 'drop':
      await world.engine.dropBucket(args.bucket)
      return ''
    case 'retention':
      await world.setRetention(args.bucket, parseTime(args.only()))
      return ''
    case 'clock':
      world.clock.set(parseTime(args.only()))
      return ''
    default:
      throw new Error(`unknown command ${c.command}`)
  }
}

/** A refusal is an answer too; anything else than a UserError fails the case. */
async function orError(answer: () => Promise<string>): Promise<string> {
  try {
    return await answer()
  } catch (error) {
    if ((error as Error).name !== 'UserError') throw error
    return `error: ${(error as Error).message}`
  }
}

const units: Record<string, bigint> = {
  '': 1n,
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  y: 31_536_000_000_000_000n,
}

export function parseTime(text: string): bigint {
  if (text === 'min') return timeMin
  if (text === 'max') return timeMax
  const match = /^(-?\d+)([a-z]*)$/.exec(text)
  if (match === null || units[match[2]] === undefined) throw new Error(`no time: ${text}`)
  return BigInt(match[1]) * units[match[2]]
}

class Arguments {
  readonly #case: DataDrivenCase

  constructor(c: DataDrivenCase) {
    this.#case = c
  }

  text(key: string): string | undefined {
    return this.#case.args.get(key)?.[0]
  }

  list(key: string): string[] | undefined {
    return this.#case.args.get(key)
  }

  has(key: string): boolean {
    return this.#case.args.has(key)
  }

  need(key: string): string {
    const value = this.text(key)
    if (value === undefined) throw new Error(`${key}= is missing`)
    return value
  }

  time(key: string): bigint | undefined {
    const text = this.text(key)
    return text === undefined ? undefined : parseTime(text)
  }

  /** The one argument without a key. */
  only(): string {
    return [...this.#case.args.keys()][0]
  }

  get bucket(): BucketId {
    return Buffer.from((this.text('bucket') ?? 'b').padStart(8, '.')).toString('hex')
  }

  range() {
    return {
      start: this.time('start') ?? allTime.start,
      stop: this.time('stop') ?? allTime.stop,
    }
  }

  tagFilter() {
    const measurement = this.text('measurement')
    const where = this.text('where')
    return {
      ...(measurement === undefined ? {} : { measurement }),
      ...(where === undefined ? {} : { predicate: parseTagPredicate(where) }),
    }
  }
}

async function writeText(
  world: EngineWorld,
  bucket: BucketId,
  text: string,
  precision: Precision,
): Promise<string> {
  const parser = world.parser(bucket)
  const { batch, errors } = parser.parse(Buffer.from(text), { precision, now: world.clock.now() })
  if (errors.length > 0) throw new Error(`bad line protocol: ${errors[0].reason}`)
  const result = await world.write(bucket, batch)
  parser.release(batch)
  if (result.writtenCount + result.rejectedCount !== batch.pointCount) {
    throw new Error(`${batch.pointCount} points, but ${JSON.stringify(result)}`)
  }
  const lines = result.rejected.map(({ line, reason }) => `line ${line}: ${reason}`)
  if (result.rejectedCount > 0) lines.push(`refused: ${result.rejectedCount}`)
  return lines.join('\n')
}

const linesPerWrite = 5000

/** Row r of series i, all by formula: a case can say thousands of points in one line. */
async function generate(world: EngineWorld, args: Arguments): Promise<string> {
  const series = Number(args.need('series'))
  const rows = Number(args.need('rows'))
  const start = args.time('start') ?? 0n
  const step = args.time('step') ?? parseTime('10s')
  const measurement = args.need('measurement')
  let lines: string[] = []
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < series; i++) {
      const n = (i * 31 + r * 17) % 1000
      // Every third row lacks the float, every fifth the text.
      let fields = `n=${n}i`
      if ((i + r) % 3 !== 0) fields += `,f=${n / 8}`
      if ((i + r) % 5 !== 0) fields += `,s="s${n % 7}",b=${n % 2 === 0}`
      const time = start + BigInt(r) * step
      lines.push(`${measurement},id=${i},mod=m${i % 7} ${fields} ${time}`)
      if (lines.length < linesPerWrite) continue
      await writeText(world, args.bucket, lines.join('\n'), 'ns')
      lines = []
    }
  }
  return writeText(world, args.bucket, lines.join('\n'), 'ns')
}

async function read(world: EngineWorld, args: Arguments): Promise<string> {
  const where = args.text('where')
  const fields = args.list('fields')
  const limit = args.text('limit')
  const request: ReadRequest = {
    bucket: args.bucket,
    measurement: args.need('measurement'),
    range: args.range(),
    ...(fields === undefined ? {} : { fields }),
    ...(where === undefined ? {} : { predicate: parsePredicate(where) }),
    ...(args.has('desc') ? { descending: true } : {}),
    ...(limit === undefined ? {} : { limitPerSeries: Number(limit) }),
    ...window(args),
  }
  const rows = await readRows(world.engine, request)
  const lines = rows.map(printRow)
  return args.has('digest') ? digest(rows, lines) : lines.join('\n')
}

function window(args: Arguments): Pick<ReadRequest, 'window'> {
  const text = args.text('agg')
  if (text === undefined) return {}
  const aggregates = Array.from(
    text.matchAll(/(\w+)\(([^)]*)\)/g),
    ([, name, field]): Aggregate => {
      return { function: name as AggregateFunction, field }
    },
  )
  const everyNs = args.time('every')
  const offsetNs = args.time('offset')
  return {
    window: {
      aggregates,
      ...(everyNs === undefined ? {} : { everyNs }),
      ...(offsetNs === undefined ? {} : { offsetNs }),
      ...(args.has('times') ? { pointTimes: true } : {}),
    },
  }
}

/** What a large answer comes down to: its size, its ends, and a hash over every line. */
function digest(rows: readonly ReadRow[], lines: readonly string[]): string {
  const hash = createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)
  const series = new Set(rows.map(({ key }) => key)).size
  const ends = lines.length === 0 ? [] : [`first: ${lines[0]}`, `last: ${lines.at(-1)}`]
  return [`rows: ${rows.length}, series: ${series}, hash: ${hash}`, ...ends].join('\n')
}

async function schema(world: EngineWorld, args: Arguments): Promise<string> {
  const timed = args.has('start') || args.has('stop')
  const of: SchemaRequest = {
    bucket: args.bucket,
    ...(timed ? { range: args.range() } : {}),
    ...args.tagFilter(),
  }
  const { engine } = world
  const kind = args.need('kind')
  switch (kind) {
    case 'measurements':
    case 'tag-keys':
      return (await collectPages(engine.names({ ...of, kind }))).join('\n')
    case 'tag-values':
      return (await collectPages(engine.names({ ...of, kind, tag: args.need('tag') }))).join('\n')
    case 'fields': {
      const fields = await collectPages(engine.fields(of))
      return fields.map((f) => `${f.measurement} ${f.name} ${f.type}`).join('\n')
    }
    case 'series':
      return (await collectPages(engine.series(of))).map(seriesKey).join('\n')
    case 'cardinality':
      return String(await engine.cardinality(of))
    case 'extent': {
      const { range, rowCountMax } = await engine.extent(of)
      if (range === undefined) return `nothing, ${rowCountMax} rows`
      return `${range.start} to ${range.stop}, ${rowCountMax} rows`
    }
    case 'shards':
      return (await engine.shards(args.bucket))
        .map(({ start, stop }) => `${start} to ${stop}`)
        .join('\n')
    default:
      throw new Error(`unknown kind ${kind}`)
  }
}
