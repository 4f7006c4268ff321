// Asks `/query` for the tests of statements: one statement, its tables or its error.

import { send } from './client.js'

export interface Table {
  readonly name?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly columns: readonly string[]
  readonly values?: readonly (readonly unknown[])[]
}

export interface StatementOptions {
  readonly db?: string
  readonly token?: string
  /** Name and password of a v1 user. */
  readonly login?: readonly [username: string, password: string]
}

/** The tables, or the text of the error. */
export async function ask(
  url: string,
  text: string,
  { db, token, login }: StatementOptions = {},
): Promise<readonly Table[] | string> {
  const [u, p] = login ?? []
  const given = Object.entries({ db, u, p }).filter(([, value]) => value !== undefined)
  const answer = await send(`${url}/query?${new URLSearchParams(given as [string, string][])}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `${new URLSearchParams({ q: text })}`,
    ...(token === undefined ? {} : { token }),
  })
  const { error, results } = answer.json
  if (error !== undefined) return error
  return results[0].error ?? results[0].series ?? []
}

/** The only table's rows. */
export async function rows(url: string, text: string, options: StatementOptions = {}) {
  const tables = await ask(url, text, options)
  if (typeof tables === 'string') throw new Error(tables)
  return tables[0]?.values ?? []
}
