// What the catalog has to know of scripts without knowing their language: where options stand in a text, what a check
// asks, and how a script that was made is laid out. The language implements it; whoever opens the catalog passes it in.

import { UserError } from '../../errors.js'

export interface ScriptProperty {
  readonly key: string
  readonly start: number
  /** undefined: the value is missing. */
  readonly valueStart: number | undefined
  readonly end: number
  /** Where the value is a string: what it stands for. */
  readonly text: string | undefined
}

/** A record that a statement assigns. All numbers are places in the text of the script. */
export interface ScriptRecord {
  /** Of the statement. */
  readonly start: number
  /** Behind the opening brace. */
  readonly open: number
  /** Of the closing brace; undefined: there is none. */
  readonly close: number | undefined
  readonly properties: readonly ScriptProperty[]
}

/** Something else than a record: its first word or sign. */
export interface OtherValue {
  readonly found: string
}

export interface QueryChange {
  /** How far to look back, and how long windows are. */
  readonly durationText: string
  readonly windows: 'kept' | 'dropped'
}

/** A query that somebody wrote, made ready to run in a task: its result can be given a name. */
export interface TaskQuery {
  /** As statements. */
  readonly imports: readonly string[]
  /** Options and variables that stand before the result. */
  readonly prelude: string
  readonly result: string
  /** The names that `_field` is compared with, in the order of the text. */
  readonly fields: readonly string[]
}

export interface ScriptBuckets {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

export interface ScriptTools {
  /** What statements give a name, `name = …` or `option name = …`, in the order of the text. */
  assigned(script: string, name: string, isOption: boolean): (ScriptRecord | OtherValue)[]
  /** The first mistake in the form of a script, with its place; undefined: it can be read. */
  problem(script: string): string | undefined
  /** The name of the time zone that `option location` sets by a literal. */
  zone(script: string): string | undefined
  /** The names of buckets that it reads and writes; undefined: not all of them are literals. */
  buckets(script: string): ScriptBuckets | undefined
  /** Throws UserError where the query cannot be read or has not one result. */
  taskQuery(query: string, change: QueryChange): TaskQuery
  /** The names of the parameters that a script reads, each once. */
  parameters(script: string): string[]
  /** The script laid out as the language's own formatter does it. Throws UserError where it cannot be read. */
  format(script: string): string
  /** The literal of a string; a template's `${…}` stands for values. */
  quoted(text: string, kind?: 'text' | 'template'): string
  /** The key of a record, with quotes where it needs them. */
  key(name: string): string
}

export type LoadScriptTools = () => Promise<ScriptTools>

/** Where nobody passed any in. */
export const noScriptTools: LoadScriptTools = async () => {
  throw new UserError('not implemented', 'this catalog was opened without the tools for scripts')
}
