// The commands of the text cases under corpus/flux, carried out on an engine.
//
//   write                          input: line protocol into the bucket `b`, times in nanoseconds
//   define                         input: imports and names that the scripts behind it begin with
//   run [now=…] [memory=…]         input: a script; output: its tables, or the error that it ends with
//   cells, values                  input: an expression per line, before it statements and a semicolon where it needs
//                                  some; output: a line for each, as a cell of a table, or as `display` shows the value
//
// Of a table is shown: the result where it has a name of its own, the key, and the columns outside the key. Cells are
// written as Flux writes them, so that their type can be seen: 1 is an int, 1.0 a float, 1u a uint, "1" a string. A
// column without any value says its type behind its name. Once points were written, columns come sorted by name: which
// order they have depends on how much of a script the store does.

import { UserError } from '../../src/errors.js'
import type { File } from '../../src/flux/syntax/ast.js'
import { rfc3339Text } from '../../src/flux/value/time.js'
import type { Cell, CellType } from '../../src/query/table.js'
import type { DataDrivenCase } from '../datadriven.js'
import type { EngineState, EngineWorld } from '../store/engine-states.js'
import { type PlainTable, type RunOptions, runFlux, testBucket } from './run-flux.js'

export class FluxCorpus {
  readonly #world: EngineWorld
  readonly #state: EngineState
  /** Statements before every script: which rules of the planner are on. */
  readonly #extern: File | undefined
  #defined = ''
  #isStored = false

  constructor(world: EngineWorld, state: EngineState, extern?: File) {
    this.#world = world
    this.#state = state
    this.#extern = extern
  }

  async run(c: DataDrivenCase): Promise<string> {
    const output = await this.#perform(c)
    if (c.command === 'write') await this.#state.afterChange?.(this.#world)
    await this.#state.afterCommand?.(this.#world)
    return output
  }

  async #perform(c: DataDrivenCase): Promise<string> {
    switch (c.command) {
      case 'write':
        await this.#write(c.input)
        return ''
      case 'define':
        this.#defined = `${c.input}\n`
        return ''
      case 'run':
        return this.#tables(c.input, c.args)
      case 'cells':
      case 'values': {
        const lines: string[] = []
        for (const line of c.input.split('\n')) lines.push(await this.#value(line, c.command))
        return lines.join('\n')
      }
      default:
        throw new Error(`unknown command ${c.command}`)
    }
  }

  async #write(lines: string): Promise<void> {
    this.#isStored = true
    const parser = this.#world.parser(testBucket)
    const { batch, errors } = parser.parse(Buffer.from(lines), { precision: 'ns', now: 0n })
    if (errors.length > 0) throw new Error(errors[0].message)
    const { rejected } = await this.#world.write(testBucket, batch)
    parser.release(batch)
    if (rejected.length > 0) throw new Error(rejected[0].reason)
  }

  /** Imports of the script come before what is defined. */
  #script(text: string): string {
    const imports = /^(import [^\n]*\n)*/.exec(text)![0]
    return `${imports}${this.#defined}${text.slice(imports.length)}`
  }

  #options(args: DataDrivenCase['args']): RunOptions {
    const now = args.get('now')?.[0]
    const memory = args.get('memory')?.[0]
    return {
      store: this.#world.engine,
      ...(now === undefined ? {} : { now }),
      ...(memory === undefined ? {} : { limits: { memoryBytesMax: Number(memory) } }),
      ...(this.#extern === undefined ? {} : { extern: this.#extern }),
    }
  }

  async #tables(text: string, args: DataDrivenCase['args']): Promise<string> {
    return outcome(async () => {
      const results = await runFlux(this.#script(text), this.#options(args))
      return results
        .flatMap(({ name, tables }) =>
          tables.flatMap((table) => tableLines(name, table, this.#isStored)),
        )
        .join('\n')
    })
  }

  async #value(line: string, kind: 'cells' | 'values'): Promise<string> {
    const [, before = '', expression] = /^(?:(.*); )?(.*)$/.exec(line)!
    const value = kind === 'cells' ? expression : `display(v: ${expression})`
    const script = `import shown "array"\n${this.#defined}${before}\nshown.from(rows: [{v: ${value}}])`
    const shown = await outcome(async () => {
      const [{ tables }] = await runFlux(script, this.#options(new Map()))
      const [{ columns, rows }] = tables
      const text = cellText(rows[0].get('v')!, columns[0].type)
      return kind === 'cells' ? text : text.slice(1, -1).replaceAll('\\"', '"')
    })
    return shown.replaceAll('\n', '\\n')
  }
}

async function outcome(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return `error: ${error.message}`
  }
}

function tableLines(
  result: string,
  { columns, key, rows }: PlainTable,
  isSorted: boolean,
): string[] {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const text = (name: string, cell: Cell | null) => cellText(cell, types.get(name)!)
  const keyText = [...key].map(([name, cell]) => `${name}=${text(name, cell)}`)
  const head = [result === '_result' ? 'table' : result, ...keyText].join(' ')
  const others = columns.filter(({ name }) => !key.has(name))
  if (isSorted) others.sort((a, b) => (a.name < b.name ? -1 : 1))
  const cells = rows.map((row) => others.map(({ name }) => text(name, row.get(name)!)))
  const names = others.map(({ name, type }, i) =>
    cells.some((row) => row[i] !== 'null') ? name : `${name}:${type}`,
  )
  const widths = names.map((name, i) =>
    Math.max(...[name, ...cells.map((row) => row[i])].map(({ length }) => length)),
  )
  const lines = [names, ...cells].map((row) =>
    row.map((cell, i) => cell.padEnd(widths[i])).join('  '),
  )
  return [head, ...lines.map((line) => `  ${line}`.trimEnd())]
}

function cellText(cell: Cell | null, type: CellType): string {
  if (cell === null) return 'null'
  switch (type) {
    case 'string':
      return JSON.stringify(cell)
    case 'time':
      return rfc3339Text(cell as bigint).replace(/(\.\d*?)0+Z$/, (_, digits) =>
        digits === '.' ? 'Z' : `${digits}Z`,
      )
    case 'uint':
      return `${cell}u`
    case 'float':
      return Number.isInteger(cell) && !Object.is(cell, -0)
        ? `${cell}.0`
        : Object.is(cell, -0)
          ? '-0.0'
          : String(cell)
    default:
      return String(cell)
  }
}
