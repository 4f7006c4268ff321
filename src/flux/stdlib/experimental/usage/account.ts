// What an organization of this service has used and what it is limited to, from the service's own counts:
// the same figures, in the same columns, as its interface tells them.

import type { MaybePromise } from '../../../../platform/pull-stream.js'
import type { Cell, TableColumn } from '../../../../query/table.js'
import type { AccountReference, UsageFacts, UsageFigure } from '../../../context/scope.js'
import type { Call } from '../../../package/define.js'
import { constantCells } from '../../../table/cells.js'
import { CellsBuilder } from '../../../table/cells-builder.js'
import { type Table, tableOf } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import { GroupKey } from '../../../value/key.js'
import { type FluxValue, MapRecord, whenReady } from '../../../value/value.js'
import { momentOf } from '../../universe/range.js'

export function ownUsage(call: Call): MaybePromise<FluxValue> {
  const now = call.context.now()
  return whenReady(now, (at) => ownUsageAt(call, at))
}

function ownUsageAt(call: Call, nowNs: bigint): FluxValue {
  const account = accountOf(call)
  const isRaw = call.bool('raw')
  const start = momentOf(call.required('start'), nowNs)
  const stop = momentOf(call.required('stop'), nowNs)
  if (stop <= start) throw new FluxError('stop must be after start')
  return call.node([], async function* (_, { scope }) {
    const facts = await scope.usage(account, { start, stop }, isRaw)
    yield* usageTables(facts, start, stop)
  })
}

export async function ownLimits(call: Call): Promise<FluxValue> {
  const account = accountOf(call)
  const { organizationId, sections } = await call.context.scope.organizationLimits(account)
  const limits = new Map<string, FluxValue>([['orgID', organizationId]])
  for (const [section, own] of sections) limits.set(section, new MapRecord(own))
  return new MapRecord(limits)
}

/** Empty texts stand for what is not given. */
function accountOf(call: Call): AccountReference {
  return { orgId: call.string('orgID') || undefined, token: call.string('token') || undefined }
}

const columns: readonly TableColumn[] = [
  { name: '_start', type: 'time' },
  { name: '_stop', type: 'time' },
  { name: '_time', type: 'time' },
  { name: '_value', type: 'float' },
  { name: '_field', type: 'string' },
  { name: '_measurement', type: 'string' },
  { name: 'bucket_id', type: 'string' },
  { name: 'org_id', type: 'string' },
]

/** One for each bucket and figure. */
function* usageTables(
  { organizationId, figures }: UsageFacts,
  start: bigint,
  stop: bigint,
): Generator<Table, void, void> {
  const groups = new Map<string, UsageFigure[]>()
  for (const figure of figures) {
    const name = JSON.stringify([figure.bucketId, figure.measurement, figure.field])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [figure])
    else group.push(figure)
  }
  for (const group of groups.values()) {
    const [{ bucketId, measurement, field }] = group
    const shared = new Map<string, Cell>([
      ['_start', start],
      ['_stop', stop],
      ['_field', field],
      ['_measurement', measurement],
      ['bucket_id', bucketId],
      ['org_id', organizationId],
    ])
    const times = new CellsBuilder('time', group.length)
    const values = new CellsBuilder('float', group.length)
    for (const { time, value } of group) {
      times.push(time)
      values.push(value)
    }
    const own = new Map([
      ['_time', times.finish()],
      ['_value', values.finish()],
    ])
    const cells = columns.map(
      ({ name, type }) => own.get(name) ?? constantCells(type, shared.get(name)!),
    )
    const key = columns.filter(({ name }) => shared.has(name))
    yield tableOf(
      GroupKey.of(key.map(({ name, type }) => ({ name, type, value: shared.get(name)! }))),
      columns,
      [{ rowCount: group.length, columns: cells }],
    )
  }
}
