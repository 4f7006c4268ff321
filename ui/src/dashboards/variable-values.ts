// Values of the variables that a dashboard uses: lists and maps as they are, queries by asking them, those first
// whose values others need. What is chosen is the page's; where that is no value there is, the stored choice or the
// first one.

import type { Variable } from '../api/variable-types.js'
import type { Language, Question, Variables } from '../query/language.js'
import { type Column, cellText, type Result } from '../query/result.js'
import { variablesUsed } from '../query/variable-use.js'

export interface VariableOptions {
  readonly variable: Variable
  /** Undefined: not known yet. */
  readonly options: readonly Option[] | undefined
  readonly failure: string | undefined
  /** The label of what is chosen. */
  readonly chosen: string | undefined
}

export interface Option {
  readonly label: string
  readonly value: string
}

/** More than anybody scrolls through; the list says so. */
export const optionsMax = 1000

export interface Text {
  readonly text: string
  readonly language: Language
}

/** Those that the texts name, and those that their own queries name. */
export function usedVariables(all: readonly Variable[], texts: readonly Text[]): Variable[] {
  const found = new Set<Variable>()
  const visit = ({ text, language }: Text) => {
    for (const name of variablesUsed(text, language)) {
      const variable = all.find((one) => one.name === name)
      if (variable === undefined || found.has(variable)) continue
      found.add(variable)
      if (variable.arguments.type === 'query') visit(queryOf(variable))
    }
  }
  for (const text of texts) visit(text)
  return all.filter((variable) => found.has(variable))
}

function queryOf({ arguments: { type, values } }: Variable): Text {
  return type === 'query'
    ? { text: values.query, language: values.language }
    : { text: '', language: 'flux' }
}

/** Those without queries first, then each after the ones it needs. Circles come last. */
export function inNeedOrder(list: readonly Variable[]): Variable[] {
  const done: Variable[] = []
  let rest = [...list]
  while (rest.length > 0) {
    const isFree = (variable: Variable) => {
      const { text, language } = queryOf(variable)
      const needs = variablesUsed(text, language)
      return rest.every((other) => other === variable || !needs.has(other.name))
    }
    const free = rest.filter(isFree)
    if (free.length === 0) return [...done, ...rest]
    done.push(...free)
    rest = rest.filter((variable) => !free.includes(variable))
  }
  return done
}

export type Ask = (
  text: Text & { readonly bucket: string | undefined },
  variables: Variables,
) => Promise<Result>

/** Tells after each variable what is known by then. */
export async function resolveVariables(
  list: readonly Variable[],
  chosen: Variables,
  ask: Ask,
  onChange: (known: readonly VariableOptions[]) => void,
): Promise<void> {
  const known = new Map<string, VariableOptions>()
  const values: Record<string, string> = {}
  const tell = () =>
    onChange(
      list.map(
        (variable) =>
          known.get(variable.id) ?? {
            variable,
            options: undefined,
            failure: undefined,
            chosen: chosen[variable.name],
          },
      ),
    )
  for (const variable of inNeedOrder(list)) {
    const { options, failure } = await optionsOf(variable, values, ask)
    const picked = chosenOption(variable, options, chosen)
    values[variable.name] = picked?.value ?? ''
    known.set(variable.id, { variable, options, failure, chosen: picked?.label })
    if (variable.arguments.type === 'query') tell()
  }
  tell()
}

async function optionsOf(variable: Variable, values: Variables, ask: Ask) {
  const { type, values: given } = variable.arguments
  if (type === 'constant') return { options: given.map(optionOf), failure: undefined }
  if (type === 'map') {
    const options = Object.entries(given).map(([label, value]) => ({ label, value }))
    return { options, failure: undefined }
  }
  try {
    const { query: text, language, bucket } = given
    const result = await ask({ text, language, bucket }, values)
    return { options: resultOptions(result), failure: undefined }
  } catch (error) {
    if (error instanceof DOMException) throw error
    return { options: [], failure: error instanceof Error ? error.message : String(error) }
  }
}

function optionOf(value: string): Option {
  return { label: value, value }
}

function chosenOption(
  variable: Variable,
  options: readonly Option[],
  chosen: Variables,
): Option | undefined {
  const wanted = [chosen[variable.name], ...(variable.selected ?? [])]
  for (const label of wanted) {
    const found = options.find((option) => option.label === label)
    if (found !== undefined) return found
  }
  return options[0]
}

/** Of Flux the column `_value`, of SHOW statements `value`, else the first that is no time. */
export function resultOptions({ tables }: Result): Option[] {
  const values = new Set<string>()
  for (const { columns } of tables) {
    const column = valueColumn(columns)
    if (column === undefined) continue
    for (let row = 0; row < column.values.length && values.size < optionsMax; row++) {
      const text = cellText(column, row)
      if (text !== '') values.add(text)
    }
  }
  return [...values].map(optionOf)
}

function valueColumn(columns: readonly Column[]): Column | undefined {
  return (
    columns.find(({ name }) => name === '_value') ??
    columns.find(({ name }) => name === 'value') ??
    columns.find(({ kind, name }) => kind !== 'time' && !name.startsWith('_'))
  )
}

export function valuesOf(known: readonly VariableOptions[]): Variables {
  return Object.fromEntries(
    known.map(({ variable, options, chosen }) => [
      variable.name,
      options?.find(({ label }) => label === chosen)?.value ?? '',
    ]),
  )
}

/** Only those that the text uses: a change of another does not ask it anew. */
export function variablesFor({ text, language }: Text, values: Variables): Question['variables'] {
  const used = variablesUsed(text, language)
  return Object.fromEntries(Object.entries(values).filter(([name]) => used.has(name)))
}
