// Fills in the texts of a rule's messages: its templates are Flux, so Flux does it, for all statuses of a run at once.
// A template that fails for a status must not keep the status from being told: then its own message is the text.

import type { Identity } from '../../access/authenticator.js'
import type { Organization } from '../../catalog/accounts/organizations.js'
import type { TextName, TextTemplates } from '../../catalog/monitoring/rule-texts.js'
import { UserError } from '../../errors.js'
import { cellAt } from '../../query/table.js'
import type { Queries } from '../../service/query/queries.js'
import type { FieldValue } from '../status/message.js'

export interface TextsParts {
  readonly queries: Pick<Queries, 'flux'>
  readonly identity: Identity
  readonly org: Organization
  readonly now: bigint
  readonly signal: AbortSignal
  /** Told of templates that fail. */
  readonly log: (message: string) => void
}

export type Row = Readonly<Record<string, FieldValue>>
export type Texts = Readonly<Partial<Record<TextName, string>>>

/** One for each row, in their order. */
export async function fillTexts(
  parts: TextsParts,
  templates: TextTemplates,
  rows: readonly Row[],
): Promise<Texts[]> {
  const { constants, script } = templates
  const texts: Texts[] = rows.map(() => constants)
  if (script === undefined) return texts
  for (const places of sameColumns(rows)) {
    const filled = await fillOrExcuse(parts, templates, script, rows, places)
    for (const [i, place] of places.entries()) texts[place] = { ...constants, ...filled[i] }
  }
  return texts
}

/** Rows of one table have the same columns. */
function sameColumns(rows: readonly Row[]): number[][] {
  const byColumns = new Map<string, number[]>()
  for (const [place, row] of rows.entries()) {
    const types = Object.entries(row).map(([key, value]) => `${key}:${typeof value}`)
    const columns = JSON.stringify(types.sort())
    const known = byColumns.get(columns)
    if (known === undefined) byColumns.set(columns, [place])
    else known.push(place)
  }
  return [...byColumns.values()]
}

async function fillOrExcuse(
  parts: TextsParts,
  { names }: TextTemplates,
  script: string,
  rows: readonly Row[],
  places: readonly number[],
): Promise<Texts[]> {
  try {
    return await fill(
      parts,
      names,
      script,
      places.map((place) => rows[place]),
    )
  } catch (error) {
    parts.signal.throwIfAborted()
    if (!(error instanceof UserError)) throw error
    parts.log(`A template cannot be filled in, the status's own message is told: ${error.message}`)
    return places.map(() => ({}))
  }
}

async function fill(
  { queries, identity, org, now, signal }: TextsParts,
  names: readonly TextName[],
  script: string,
  rows: readonly Row[],
): Promise<Texts[]> {
  const given = rows.map((row) => new Map(Object.entries(row)))
  const parameters = { values: new Map([['rows', given]]) }
  const run = await queries.flux(identity, { text: script, org, now, parameters })
  const stop = () => run.stop(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const texts: Texts[] = []
  try {
    let columns: readonly string[] = []
    for await (const piece of run.pieces) {
      if (piece.kind === 'table') {
        columns = piece.columns.map(({ name }) => name)
        continue
      }
      for (let row = 0; row < piece.rowCount; row++) {
        const cells = names.map((name) => {
          const column = piece.columns[columns.indexOf(name)]
          return [name, String(cellAt(column, row) ?? '')]
        })
        texts.push(Object.fromEntries(cells))
      }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    run.end()
  }
  return texts
}
