// `prometheus.scrape`: what a Prometheus endpoint tells now, a table for each metric and set of labels. The endpoint is
// asked when the tables are read, and what it says is read in `formats/prometheus-text.ts`.

import { UserError } from '../../../../errors.js'
import { readSamples, type Sample } from '../../../../formats/prometheus-text.js'
import type { FluxContext } from '../../../context/context.js'
import { type Call, type Definitions, native } from '../../../package/define.js'
import { TableSet } from '../../../table/table-set.js'
import { FluxError } from '../../../value/error.js'
import { shortFloatText } from '../../../value/float-text.js'
import { GroupKey, type KeyEntry } from '../../../value/key.js'
import { exchange } from '../../http/exchange.js'

export const scraping: Definitions = {
  scrape: native('(url: string) => stream[A] where A: Record', (call) => {
    const url = call.string('url')
    return call.node([], async function* (_, context) {
      yield* scraped(await textOf(call, url), url, context).tables()
    })
  }),
}

const protobuf = 'application/vnd.google.protobuf'

async function textOf(call: Call, url: string): Promise<string> {
  const { headers, body } = await exchange(call, { method: 'GET', url, headers: [] })
  const [mediaType] = (headers.get('Content-Type') ?? '').split(';')
  if (mediaType.trim() === '') throw new FluxError('mime: no media type')
  if (mediaType.trim().toLowerCase() === protobuf) {
    throw new FluxError(`prometheus.scrape() reads the text format, and the answer is ${protobuf}`)
  }
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString()
}

function scraped(text: string, url: string, { memory, scope, signal }: FluxContext): TableSet {
  const nowNs = scope.clock.now()
  const set = new TableSet(memory)
  for (const sample of samplesOf(text)) {
    signal.throwIfAborted()
    const table = set.table(keyOf(sample))
    const places = [
      table.column('_time', 'time'),
      table.column('_value', 'float'),
      table.column('_measurement', 'string'),
      table.column('_field', 'string'),
      table.column('url', 'string'),
    ]
    for (const label of sample.labels.keys()) table.column(label, 'string')
    const { value, timeNs = nowNs, name } = sample
    table.addRow(places, [timeNs, value, 'prometheus', name, url])
  }
  return set
}

function* samplesOf(text: string): Generator<Sample, void, void> {
  try {
    yield* readSamples(text, shortFloatText)
  } catch (error) {
    throw error instanceof UserError ? new FluxError(error.message) : error
  }
}

/** A label `url` says more than where it was scraped. */
const ownColumns = new Set(['_time', '_value', '_measurement', '_field'])

function keyOf({ name, labels }: Sample): GroupKey {
  const entries: KeyEntry[] = [
    { name: '_measurement', type: 'string', value: 'prometheus' },
    { name: '_field', type: 'string', value: name },
  ]
  for (const [label, value] of labels) {
    if (ownColumns.has(label)) {
      throw new FluxError(`the label ${label} of ${name} has the name of a column of its own`)
    }
    entries.push({ name: label, type: 'string', value })
  }
  return GroupKey.of(entries)
}
