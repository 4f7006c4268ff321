// A query for DuckDB, and what follows from its text alone: its tree as DuckDB's parser has it, checked and with
// names for its columns, and the tables that it reads. Found when it first runs, because the parser is an engine's,
// and kept for all other runs. Nobody changes it: a run says what it puts in the place of nodes (`TreeChanges`).

import { cacheFunctions, checkFunctions, gapFunctions } from './allowed-functions.js'
import { checkShape, columnNames, shortenNames, type TableUse, tableUses } from './table-uses.js'
import { nameColumns } from './titles.js'
import { type TreeNode, walk } from './tree.js'

export interface ParsedQuery {
  readonly tree: TreeNode
  /** The tables that it reads, in the order in which they stand. */
  readonly uses: readonly TableUse[]
  /** All names that could be a column's, wherever they stand. */
  readonly names: ReadonlySet<string>
}

export class SqlQuery {
  readonly text: string
  readonly explains: 'no' | 'plan' | 'analysis'
  readonly textBytes: Uint8Array
  #parsed: ParsedQuery | undefined
  #hasGaps = false
  #hasCaches = false

  constructor(text: string, explains: SqlQuery['explains']) {
    this.text = text
    this.explains = explains
    this.textBytes = Buffer.from(text)
  }

  /** Throws where the text is no query, or calls what it may not. */
  async parsed(parser: { parse(text: string): Promise<TreeNode> }): Promise<ParsedQuery> {
    if (this.#parsed !== undefined) return this.#parsed
    const tree = await parser.parse(this.text)
    checkShape(tree)
    checkFunctions(tree)
    shortenNames(tree)
    nameColumns(tree)
    for (const { function_name: name = '' } of walk(tree)) {
      if (gapFunctions.has(name)) this.#hasGaps = true
      if (cacheFunctions.has(name)) this.#hasCaches = true
    }
    this.#parsed = parsedQuery(tree)
    return this.#parsed
  }

  /** It has gaps to fill, which makes another query of it each time. Known once it was parsed. */
  get hasGaps(): boolean {
    return this.#hasGaps
  }

  /** It reads caches, which are as they are defined when it runs. Known once it was parsed. */
  get hasCaches(): boolean {
    return this.#hasCaches
  }
}

export function parsedQuery(tree: TreeNode): ParsedQuery {
  return { tree, uses: tableUses(tree), names: columnNames(tree) }
}
