// Those who use a service that is killed again and again. Each does one thing at a time, remembers what was answered
// and what was under way when the service went, and says after every start what is wrong: something that was
// acknowledged is missing, something that was never asked for is there, or an answer that nobody should get.

import type { Random } from '../../src/platform/random.js'
import { type Answer, ask, Gone } from './service-process.js'

export interface Place {
  readonly url: string
  readonly token: string
  readonly orgId: string
}

export interface Actor {
  readonly name: string
  /** How many of its changes were acknowledged. */
  readonly doneCount: number
  /** One step; throws Gone where the service is. */
  step(place: Place): Promise<void>
  /** After a start: what is wrong. What was under way is settled. */
  check(place: Place): Promise<string[]>
}

/** Until the service is gone. A stop in order says 503, which settles nothing. */
export async function actUntilGone(actor: Actor, place: Place): Promise<void> {
  try {
    for (;;) await actor.step(place)
  } catch (error) {
    if (!(error instanceof Gone)) throw error
  }
}

function require2xx(what: string, { status, text }: Answer): boolean {
  if (status === 503) return false
  if (status < 200 || status >= 300) throw new Error(`${what}: ${status} ${text.slice(0, 300)}`)
  return true
}

async function influxql({ url, token }: Place, db: string, q: string): Promise<unknown[][]> {
  const target = `${url}/query?${new URLSearchParams({ db, q })}`
  const { status, text } = await ask(target, { method: 'POST', token })
  if (status !== 200) throw new Error(`${q}: ${status} ${text.slice(0, 300)}`)
  const [result] = JSON.parse(text).results
  if (result.error !== undefined) throw new Error(`${q}: ${result.error}`)
  return result.series?.[0].values ?? []
}

/** Points with rising numbers: those answered are all there, of the last batch all or none. */
export class SequenceWriter implements Actor {
  readonly name: string
  readonly #rowsPerBatch: number
  readonly #padding: number
  #acknowledged = 0
  #underWay = 0

  /** Rows are so long that memtables fill, and flushes and merges come within seconds, unless told. */
  constructor(name: string, rowsPerBatch = 25, padding = 4000) {
    this.name = name
    this.#rowsPerBatch = rowsPerBatch
    this.#padding = padding
  }

  get doneCount(): number {
    return this.#acknowledged
  }

  async step(place: Place): Promise<void> {
    const first = this.#acknowledged + 1
    this.#underWay = first + this.#rowsPerBatch - 1
    const lines = Array.from({ length: this.#rowsPerBatch }, (_, i) => {
      const n = first + i
      const text = `${this.name}${n}-`.padEnd(this.#padding, String.fromCharCode(97 + (n % 26)))
      return `seq,w=${this.name} n=${n}i,s="${text}" ${n}000000000`
    })
    const target = `${place.url}/api/v2/write?org=o&bucket=b`
    const body = lines.join('\n')
    const answer = await ask(target, { method: 'POST', token: place.token, body })
    if (require2xx('write', answer)) this.#acknowledged = this.#underWay
  }

  async check(place: Place): Promise<string[]> {
    const q = `SELECT count(n), min(n), max(n), sum(n) FROM seq WHERE w = '${this.name}'`
    const [[, count, , max, sum] = [0, 0, 0, 0, 0]] = (await influxql(place, 'b', q)) as number[][]
    const isWhole = count === max && sum === (max * (max + 1)) / 2
    const isKnown = max === this.#acknowledged || max === this.#underWay
    if (!isWhole || !isKnown) {
      const known = `${this.#acknowledged} or ${this.#underWay}`
      return [`${this.name}: ${count} points up to ${max}, sum ${sum}; known: ${known}`]
    }
    this.#acknowledged = max
    return []
  }
}

type Held = 'there' | 'gone'

/** Things by name that come and go one at a time: what was answered holds, what was under way may. */
abstract class Things implements Actor {
  abstract readonly name: string
  readonly #known = new Map<string, Held>()
  #pending: readonly [thing: string, becomes: Held] | undefined
  #number = 0
  readonly #random: Random
  doneCount = 0

  constructor(random: Random) {
    this.#random = random
  }

  protected abstract make(place: Place, thing: string): Promise<Answer>
  protected abstract remove(place: Place, thing: string): Promise<Answer>
  /** Of all that are asked for. */
  protected abstract find(place: Place, things: readonly string[]): Promise<Set<string>>

  async step(place: Place): Promise<void> {
    const present = [...this.#known].filter(([, held]) => held === 'there').map(([thing]) => thing)
    const makes = present.length < 3 || this.#random.below(2) === 0
    const thing = makes ? `${this.name}-${++this.#number}` : this.#random.pick(present)
    this.#pending = [thing, makes ? 'there' : 'gone']
    const answer = await (makes ? this.make(place, thing) : this.remove(place, thing))
    if (!require2xx(`${this.name} ${thing}`, answer)) return
    this.#known.set(thing, this.#pending[1])
    this.#pending = undefined
    this.doneCount++
  }

  async check(place: Place): Promise<string[]> {
    const [pending, becomes] = this.#pending ?? []
    // Old ones stay as they are: the last few hundred are looked at, and some of the others.
    const recent = [...this.#known.keys()].slice(-200)
    const things = [...new Set([...recent, ...(pending === undefined ? [] : [pending])])]
    const found = await this.find(place, things)
    const wrong: string[] = []
    for (const thing of things) {
      const held: Held = found.has(thing) ? 'there' : 'gone'
      const known = this.#known.get(thing) ?? 'gone'
      if (held === known || (thing === pending && held === becomes)) this.#known.set(thing, held)
      else wrong.push(`${thing} is ${held}, and was ${known}`)
    }
    this.#pending = undefined
    return wrong
  }
}

const json = (place: Place, method: string, path: string, body?: object) =>
  ask(`${place.url}${path}`, {
    method,
    token: place.token,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Made and deleted: of what is left each has its points, of what was deleted none. */
export class DeletedPoints extends Things {
  readonly name = 'deleted'

  protected make(place: Place, thing: string): Promise<Answer> {
    const target = `${place.url}/api/v2/write?org=o&bucket=b`
    const body = [1, 2, 3].map((i) => `del,k=${thing} f=${i} ${i * 1e9}`).join('\n')
    return ask(target, { method: 'POST', token: place.token, body })
  }

  protected remove(place: Place, thing: string): Promise<Answer> {
    const range = { start: '1970-01-01T00:00:00Z', stop: '1970-01-02T00:00:00Z' }
    const predicate = `_measurement="del" AND k="${thing}"`
    return json(place, 'POST', '/api/v2/delete?org=o&bucket=b', { ...range, predicate })
  }

  protected async find(place: Place): Promise<Set<string>> {
    const target = `${place.url}/query?${new URLSearchParams({ db: 'b', q: 'SELECT count(f) FROM del GROUP BY k' })}`
    const { text } = await ask(target, { method: 'POST', token: place.token })
    const series = JSON.parse(text).results[0].series ?? []
    const found = new Set<string>()
    for (const { tags, values } of series) {
      if (values[0][1] !== 3) throw new Error(`${tags.k} has ${values[0][1]} of its 3 points`)
      found.add(tags.k)
    }
    return found
  }
}

/** The same by a statement, which goes around the control plane: loading that takes a service tenths of a second. */
export class PointsDeletedByStatement extends DeletedPoints {
  protected override remove(place: Place, thing: string): Promise<Answer> {
    const q = `DELETE FROM del WHERE k = '${thing}'`
    const target = `${place.url}/query?${new URLSearchParams({ db: 'b', q })}`
    return ask(target, { method: 'POST', token: place.token })
  }
}

/** With a point in each: dropped with everything that it holds. */
export class Databases extends Things {
  readonly name = 'database'

  protected async make(place: Place, thing: string): Promise<Answer> {
    const target = `${place.url}/query?${new URLSearchParams({ q: `CREATE DATABASE "${thing}"` })}`
    return ask(target, { method: 'POST', token: place.token })
  }

  protected async remove(place: Place, thing: string): Promise<Answer> {
    const write = `${place.url}/write?db=${thing}`
    require2xx('write', await ask(write, { method: 'POST', token: place.token, body: 'm f=1 1' }))
    const target = `${place.url}/query?${new URLSearchParams({ q: `DROP DATABASE "${thing}"` })}`
    return ask(target, { method: 'POST', token: place.token })
  }

  protected async find(place: Place): Promise<Set<string>> {
    return new Set((await influxql(place, '', 'SHOW DATABASES')).map(([name]) => String(name)))
  }
}

/** Authorizations: one that was made works, one that was deleted never again. */
export class Tokens extends Things {
  readonly name = 'token'
  readonly #made = new Map<string, { readonly id: string; readonly token: string | undefined }>()

  protected async make(place: Place, thing: string): Promise<Answer> {
    const permissions = [{ action: 'read', resource: { type: 'buckets', orgID: place.orgId } }]
    const body = { orgID: place.orgId, description: thing, permissions }
    const answer = await json(place, 'POST', '/api/v2/authorizations', body)
    if (answer.status === 201) this.#made.set(thing, JSON.parse(answer.text))
    return answer
  }

  protected remove(place: Place, thing: string): Promise<Answer> {
    return json(place, 'DELETE', `/api/v2/authorizations/${this.#made.get(thing)?.id}`)
  }

  protected async find(place: Place, things: readonly string[]): Promise<Set<string>> {
    const { text } = await json(
      place,
      'GET',
      `/api/v2/authorizations?orgID=${place.orgId}&limit=1000`,
    )
    const listed = JSON.parse(text).authorizations as { id: string; description: string }[]
    const found = new Set(listed.map(({ description }) => description))
    for (const { id, description } of listed) {
      // Made by a request that was never answered: it can be deleted, and nobody knows its token.
      if (!this.#made.has(description)) this.#made.set(description, { id, token: undefined })
    }
    for (const thing of things) {
      const token = this.#made.get(thing)?.token
      if (token === undefined) continue
      const { status } = await ask(`${place.url}/api/v2/flags`, { token })
      const expected = found.has(thing) ? 200 : 401
      if (status !== expected) throw new Error(`${thing} is answered ${status}, not ${expected}`)
    }
    return found
  }
}

const questions: readonly ((place: Place) => Promise<Answer>)[] = [
  (place) =>
    ask(`${place.url}/query?db=b&q=${encodeURIComponent('SELECT max(n) FROM seq GROUP BY w')}`, {
      token: place.token,
    }),
  (place) =>
    json(place, 'POST', '/api/v2/query?org=o', {
      query: 'from(bucket: "b") |> range(start: 0) |> filter(fn: (r) => r._field == "n") |> last()',
    }),
  (place) =>
    ask(`${place.url}/api/v3/query_sql?db=b&q=${encodeURIComponent('SELECT max(n) FROM seq')}`, {
      token: place.token,
    }),
]

/** Asks in every language: an answer is good or not there. */
export class Asker implements Actor {
  readonly name = 'asker'
  doneCount = 0
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  async step(place: Place): Promise<void> {
    const answer = await this.#random.pick(questions)(place)
    // Before the first point there is no table to ask.
    if (answer.status === 404 || answer.status === 400) return
    if (require2xx('query', answer)) this.doneCount++
  }

  async check(): Promise<string[]> {
    return []
  }
}
