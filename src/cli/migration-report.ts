// What `migrate` tells: a plan, progress, notes and the
// verdict, for a person or as JSON lines.

import type { MigrationOutcome, MigrationProgress } from '../migrate/run/migration.js'
import type { MigrationPlan } from '../migrate/run/migration-plan.js'
import { ProgressLine, shortNumber, spanText } from './progress-line.js'

/** Differences that a person is shown of each database; programs get all. */
const differencesShown = 20

/** JSON lines of progress come so often at most. */
const progressMs = 1000

export class MigrationReport {
  readonly #isJson: boolean
  readonly #line: ProgressLine
  #toldMs = 0

  constructor(isJson: boolean) {
    this.#isJson = isJson
    this.#line = new ProgressLine(!isJson && process.stderr.isTTY === true)
  }

  /** `seconds`: how long it will take; undefined: nobody knows. */
  plan(title: string, plan: MigrationPlan, seconds: number | undefined): void {
    if (this.#isJson) {
      const estimatedSeconds = seconds === undefined ? null : Math.ceil(seconds)
      this.#json('plan', { source: title, ...planJson(plan), estimatedSeconds })
      return
    }
    const { databases, users, notes, obstacles, resources } = plan
    this.#text(`Source: ${title}`)
    for (const { name, database, policies } of databases) {
      this.#text(`  ${database.name}${name === database.name ? '' : ` -> ${name}`}`)
      for (const { policy, bucket, units, bytes, values, weights, fields } of policies) {
        const kept =
          policy.durationNs === 0n ? 'for ever' : `${policy.durationNs / 3600000000000n}h`
        const size = bytes === 0 ? '' : `, ${shortNumber(bytes)}B`
        const count = values === undefined ? '' : `, about ${shortNumber(values)} values`
        const what = `${units} shards${size}${count}, ${weights.size} measurements`
        const mapped = `bucket "${bucket}"${policy.isDefault ? ', the default' : ''}`
        this.#text(`    ${policy.name} -> ${mapped}: kept ${kept}, ${what}`)
        for (const { measurement, field, type, target } of fields.conflicts) {
          this.#text(
            `      "${field}" of "${measurement}" is also ${type}: goes to "${target.name}"`,
          )
        }
      }
      for (const query of database.continuousQueries) this.#text(`    query ${query.name}`)
    }
    for (const user of users) this.#text(`  user ${user.name}, who needs a new password`)
    for (const [kind, count] of Object.entries(resourceCounts(resources))) {
      if (count > 0) this.#text(`  ${count} ${kind}`)
    }
    if (seconds !== undefined) this.#text(`About ${spanText(seconds)}, by a trial of some points`)
    for (const note of notes) this.#text(`Note: ${note}`)
    for (const obstacle of obstacles) this.#text(`In the way: ${obstacle}`)
  }

  begin(
    title: string,
    unitsDone: number,
    firstLogin: Readonly<Record<string, string>> | undefined,
  ): void {
    if (this.#isJson) {
      this.#json('begin', { source: title, unitsDone, firstLogin })
      return
    }
    const again = unitsDone === 0 ? '' : `, going on after ${unitsDone} units`
    this.#text(`Moving ${title}${again}`)
    if (firstLogin === undefined) return
    this.#text('The folder was empty. Shown once, to log in with:')
    for (const [name, value] of Object.entries(firstLogin)) this.#text(`  ${name}: ${value}`)
  }

  /** A server that ran meanwhile has nothing left to move. */
  moved(url: string, heldSeconds: number): void {
    if (this.#isJson) return this.#json('moved', { url, heldSeconds })
    this.#text(
      `All is there. Writes at ${url} are held back for ${heldSeconds.toFixed(1)} s by now,`,
    )
    this.#text('and will be for ten minutes: stop that server and change the address.')
  }

  progress(progress: MigrationProgress): void {
    const { unitsDone, unitsTotal, points, unit, bytesReceived } = progress
    if (!this.#isJson) {
      const [done, total] = share(progress)
      const perSecond = bytesReceived / Math.max(this.#line.seconds, 0.001)
      const what = `${shortNumber(perSecond)}B/s | ${unitsDone}/${unitsTotal} ${unit}`
      this.#line.update({ done, total, points, what })
      return
    }
    const now = performance.now()
    if (now - this.#toldMs < progressMs) return
    this.#toldMs = now
    this.#json('progress', progress)
  }

  note(text: string): void {
    if (this.#isJson) this.#json('note', { text })
    else this.#line.note(`Note: ${text}`)
  }

  outcome({ points, refusedCount, damagedCount, verdicts }: MigrationOutcome): void {
    this.#line.end()
    if (this.#isJson) {
      this.#json('outcome', { points, refusedCount, damagedCount, verdicts })
      return
    }
    this.#text(`${points} points written`)
    if (refusedCount > 0) this.#text(`${refusedCount} points were refused`)
    if (damagedCount > 0) this.#text(`${damagedCount} damaged places were left out`)
    for (const { database, policy, measurements, compared, differences } of verdicts) {
      const verdict = differences.length === 0 ? 'the same' : `${differences.length} differences`
      this.#text(
        `${database}.${policy}: ${measurements} measurements, ${compared} counts compared: ${verdict}`,
      )
      for (const one of differences.slice(0, differencesShown)) {
        const { measurement, field, day = 'all days', what, source, target } = one
        this.#text(`  ${measurement} ${field} ${day}: ${what} ${source} here, ${target} there`)
      }
    }
  }

  end(): void {
    this.#line.end()
  }

  #text(text: string): void {
    process.stdout.write(`${text}\n`)
  }

  #json(type: string, value: object): void {
    process.stdout.write(`${JSON.stringify({ type, ...value })}\n`)
  }
}

/** What of what is done: by values where their number is known, for units may be of any size. */
function share(progress: MigrationProgress): [done: number, total: number] {
  const { unitsDone, unitsTotal, valuesDone, valuesTotal = 0, bytesDone, bytesTotal } = progress
  if (unitsDone === unitsTotal) return [unitsDone, unitsTotal]
  // A guess may be too low: what is known to be left is not nothing.
  if (valuesTotal > 0) return [valuesDone, Math.max(valuesTotal, valuesDone + 1)]
  return bytesTotal > 0 ? [bytesDone, bytesTotal] : [unitsDone, unitsTotal]
}

/** How many there are of each kind that people make. */
function resourceCounts(resources: MigrationPlan['resources']): Record<string, number> {
  if (resources === undefined) return {}
  const { records, tokens, users } = resources
  const counts = Object.entries(records).map(([kind, list]) => [kind, list.length])
  return { ...Object.fromEntries(counts), users: users.length, tokens: tokens.length }
}

function planJson({ databases, users, notes, obstacles, resources }: MigrationPlan) {
  return {
    databases: databases.map(({ name, database, policies }) => ({
      name: database.name,
      target: name,
      continuousQueries: database.continuousQueries,
      policies: policies.map(({ policy, bucket, units, bytes, values, weights, fields }) => ({
        name: policy.name,
        bucket,
        isDefault: policy.isDefault,
        durationNs: String(policy.durationNs),
        units,
        bytes,
        values,
        measurements: weights.size,
        conflicts: fields.conflicts,
      })),
    })),
    users: users.map(({ name, isAdmin }) => ({ name, isAdmin })),
    resources: resourceCounts(resources),
    notes,
    obstacles,
  }
}
