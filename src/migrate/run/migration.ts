// A migration from its plan to its end: databases are made, units copied oldest first, what has changed meanwhile is
// copied again, what goes with the points follows, and at last both sides are counted and compared.
//
// Every finished unit is a line in the journal, with what it looked like and what was counted in it. Starting again
// skips units that still look the same; a pass for what came meanwhile is nothing else.

import { floorDiv, nsPerDay, type TimeRange } from '../../column/time.js'
import { CorruptionError, DiskError, UserError } from '../../errors.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { MigrationSource, SourceUnit } from '../plan/source.js'
import { Estimates } from './estimate.js'
import type { Journal } from './journal.js'
import {
  isChosen,
  type MigrationPlan,
  type PlannedDatabase,
  type PlannedPolicy,
  planMigration,
  type Selection,
  valuesOf,
} from './migration-plan.js'
import { readAll } from './readers.js'
import { removeWhatWent } from './removals.js'
import { ResourceCopy } from './resources.js'
import type { MigrationTarget } from './target.js'
import { copyUnit } from './unit-copy.js'
import { type BucketVerdict, verifyPolicy } from './verification.js'

export interface MigrationProgress {
  readonly pass: number
  readonly unitsDone: number
  readonly unitsTotal: number
  readonly bytesDone: number
  readonly bytesTotal: number
  /** Of the pass: values that were read, and about how many there are; undefined: nobody knows. */
  readonly valuesDone: number
  readonly valuesTotal: number | undefined
  /** That have come from the source, since this start of the migration. */
  readonly bytesReceived: number
  /** Written by this start of the migration. */
  readonly points: number
  /** The unit at hand. */
  readonly unit: string
}

export interface MigrationOptions {
  readonly source: MigrationSource
  readonly target: MigrationTarget
  readonly journal: Journal
  readonly selection: Selection
  readonly skipsDamaged: boolean
  /** Units that are read at once. */
  readonly readersMax: number
  /** How often the source is looked through for what has changed, the first time included. */
  readonly passesMax: number
  /** Which points are counted and compared: of units that nobody writes to any more, or of all others. */
  readonly verifies: 'all' | 'settled' | 'unsettled' | 'none'
  /** Nanoseconds since 1970. */
  now(): bigint
  /** Of users that come along: nobody is told. */
  randomPassword(): string
  onProgress(progress: MigrationProgress): void
  onNote(text: string): void
}

export interface MigrationOutcome {
  readonly points: number
  readonly refusedCount: number
  readonly damagedCount: number
  readonly verdicts: readonly BucketVerdict[]
}

interface Work {
  readonly planned: PlannedDatabase
  readonly policy: PlannedPolicy
  readonly unit: SourceUnit
}

/** A pass that takes no longer than this leaves a gap that the next start closes at once. */
const shortPassNs = 60_000_000_000n

/** A connection that was lost; what a server, a file or a disk refuses it will refuse again. */
function isPassing(error: unknown): boolean {
  const isLasting = [UserError, CorruptionError, DiskError].some((kind) => error instanceof kind)
  return !isLasting
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

export class Migration {
  readonly #options: MigrationOptions
  readonly #estimates: Estimates
  #points = 0
  #fileBytes = 0
  #refusedCount = 0
  readonly #damages = new Set<string>()

  constructor(options: MigrationOptions) {
    this.#options = options
    this.#estimates = new Estimates(options.source, options.selection)
  }

  async run(): Promise<MigrationOutcome> {
    const { now, passesMax, verifies, onNote, target, journal } = this.#options
    let plan = await this.#plan()
    if (plan.obstacles.length > 0) throw new UserError('conflict', plan.obstacles.join('\n'))
    await this.#makeDatabases(plan)
    await removeWhatWent(plan, target, journal)
    for (let pass = 1; ; pass++) {
      const started = now()
      const isComplete = await this.#pass(plan, pass)
      const wasShort = now() - started < shortPassNs
      plan = await this.#plan()
      await removeWhatWent(plan, target, journal)
      const changed = this.#work(plan).length
      if (changed === 0 || (!isComplete && pass >= passesMax)) break
      if (pass >= passesMax || (pass > 1 && wasShort)) {
        onNote(
          `the source is still written to: ${changed} units have changed; start again to catch up`,
        )
        break
      }
    }
    await this.#makeOthers(plan)
    const verdicts = verifies === 'none' ? [] : await this.#verify(plan)
    const { size: damagedCount } = this.#damages
    return { points: this.#points, refusedCount: this.#refusedCount, damagedCount, verdicts }
  }

  #plan(): Promise<MigrationPlan> {
    const { source, target, selection, journal } = this.#options
    const made = journal.made
    return planMigration(source, target, selection, made, this.#estimates, this.#onDamage)
  }

  readonly #onDamage: DamageHandler = (damage: CorruptionError) => {
    const { skipsDamaged, onNote } = this.#options
    if (!skipsDamaged) throw damage
    if (this.#damages.has(damage.message)) return
    this.#damages.add(damage.message)
    onNote(`left out: ${damage.message}`)
  }

  async #makeDatabases({ databases }: MigrationPlan): Promise<void> {
    const { target, journal, onNote } = this.#options
    for (const { name, database, isThere, policies } of databases) {
      // Noted before it is made: a start that was killed in between must find it its own.
      if (!isThere && !journal.made.has(name)) await journal.madeDatabase(name)
      await target.makeDatabase(name, database)
      for (const { fields } of policies) {
        for (const { measurement, field, type, target: to } of fields.conflicts) {
          const become = to.name === field ? `become ${to.type}s` : `are kept as "${to.name}"`
          onNote(`${name}: ${type} values of "${field}" in "${measurement}" ${become}`)
        }
      }
    }
  }

  /** Units that are not done, or look otherwise than when they were, the oldest first. */
  #work({ databases }: MigrationPlan): Work[] {
    const { journal, selection } = this.#options
    const work: Work[] = []
    for (const planned of databases) {
      for (const policy of planned.policies) {
        for (const unit of policy.policy.units) {
          if (!isChosen(unit, selection)) continue
          const done = journal.units.get(unit.id)
          if (done === undefined || done.fingerprint !== unit.fingerprint) {
            work.push({ planned, policy, unit })
          }
        }
      }
    }
    return work.sort((a, b) => (a.unit.range.start < b.unit.range.start ? -1 : 1))
  }

  /** False where nothing was to be done. */
  async #pass(plan: MigrationPlan, pass: number): Promise<boolean> {
    const { source, journal, onProgress, onNote, readersMax } = this.#options
    const work = this.#work(plan)
    const valuesTotal = await this.#values(work)
    let valuesDone = 0
    const bytesTotal = work.reduce((sum, { unit }) => sum + unit.bytes, 0)
    const unitsTotal = work.length
    let bytesBefore = 0
    let unitsDone = 0
    /** Of units under way. */
    const bytesRead = new Map<string, number>()
    const tell = (unit: string) => {
      let bytesDone = bytesBefore
      for (const bytes of bytesRead.values()) bytesDone += bytes
      const points = this.#points
      const bytesReceived = source.receivedBytes?.() ?? this.#fileBytes
      const known = { valuesDone, valuesTotal, bytesDone, bytesTotal, bytesReceived }
      onProgress({ pass, unitsDone, unitsTotal, ...known, points, unit })
    }
    const read = async ({ planned, policy, unit }: Work) => {
      bytesRead.set(unit.id, 0)
      const onBytes = (more: number) => {
        const bytes = (bytesRead.get(unit.id) ?? 0) + more
        this.#fileBytes += more
        bytesRead.set(unit.id, Math.min(bytes, unit.bytes))
        tell(unit.id)
      }
      const copy = await this.#copy(planned, policy, unit, onBytes, (values) => {
        valuesDone += values
      })
      this.#refusedCount += copy.refusedCount
      for (const reason of copy.reasons) onNote(`${unit.id}: refused: ${reason}`)
      await journal.done(unit.id, unit.fingerprint, copy.statistics)
      bytesRead.delete(unit.id)
      bytesBefore += unit.bytes
      unitsDone++
      tell(unit.id)
    }
    await readAll(work, read, { readersMax, isPassing, pause })
    return work.length > 0
  }

  /** About how many values there are in the units; undefined: nobody knows. */
  async #values(work: readonly Work[]): Promise<number | undefined> {
    const { source, selection } = this.#options
    const parts = { source, selection, estimates: this.#estimates, onDamage: this.#onDamage }
    const policies = new Map<PlannedPolicy, Work[]>()
    for (const one of work) {
      const known = policies.get(one.policy)
      if (known === undefined) policies.set(one.policy, [one])
      else known.push(one)
    }
    let sum = 0
    for (const [{ policy }, some] of policies) {
      const units = some.map(({ unit }) => unit)
      const values = await valuesOf(parts, some[0].planned.database.name, { ...policy, units })
      if (values === undefined) return undefined
      sum += values
    }
    return sum
  }

  #copy(
    { name, database }: PlannedDatabase,
    { policy, fields }: PlannedPolicy,
    unit: SourceUnit,
    onBytes: (bytes: number) => void,
    onValues: (values: number) => void,
  ) {
    const { source, target, selection } = this.#options
    const { measurements } = selection
    const range = this.#range(policy.durationNs)
    const request = {
      database: database.name,
      policy: policy.name,
      unit,
      range,
      wantsMeasurement: (measurement: string) => measurements?.has(measurement) ?? true,
      fieldTarget: fields.targetOf.bind(fields),
      onDamage: this.#onDamage,
      onBytes,
    }
    const place = { database: name, policy: policy.name, tags: selection.tags }
    return copyUnit(source, request, target, place, (points, values) => {
      this.#points += points
      onValues(values)
      onBytes(0)
    })
  }

  /** What has expired already would be refused. */
  #range(durationNs: bigint): TimeRange {
    const { selection, now } = this.#options
    const { start, stop } = selection.range
    if (durationNs === 0n) return selection.range
    const oldest = now() - durationNs
    return { start: oldest > start ? oldest : start, stop }
  }

  /** Whole days: both sides count by day. */
  #comparedRange({ durationNs, units }: PlannedPolicy['policy']): TimeRange {
    const { start, stop } = this.#range(durationNs)
    const { verifies } = this.#options
    if (verifies === 'all') return { start, stop }
    const first = units.find(({ fingerprint }) => fingerprint !== 'settled')?.range.start ?? stop
    const day = floorDiv(first, nsPerDay) * nsPerDay
    if (verifies === 'settled') return { start, stop: day < stop ? day : stop }
    return { start: day > start ? day : start, stop }
  }

  /** What goes with the points: it follows when they are there. */
  async #makeOthers({ databases, users, resources }: MigrationPlan): Promise<void> {
    const { target, journal, onNote, randomPassword } = this.#options
    const place = resources === undefined ? undefined : await target.resources()
    if (resources !== undefined && place === undefined) {
      onNote('the target has databases only: what was made beside the points stays behind')
    } else if (resources !== undefined && place !== undefined) {
      await new ResourceCopy(place, journal, onNote).run(resources)
    }
    for (const { name, database } of databases) {
      for (const query of database.continuousQueries) {
        const what = `the continuous query "${query.name}"`
        if (name !== database.name) onNote(`${what} names "${database.name}": not taken along`)
        else await this.#orNote(what, () => target.makeContinuousQuery(name, query.text))
      }
    }
    const names = new Set(databases.map(({ database }) => database.name))
    for (const user of users) {
      const grants = user.grants.filter(({ database }) => names.has(database))
      const what = `the user "${user.name}"`
      const made = await this.#orNote(what, () =>
        target.makeUser({ ...user, grants }, randomPassword()),
      )
      if (made) onNote(`${what} needs a new password: SET PASSWORD FOR "${user.name}"`)
    }
  }

  /** What the target does not take is told: the points are there all the same. */
  async #orNote(what: string, make: () => Promise<boolean>): Promise<boolean> {
    try {
      return await make()
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      this.#options.onNote(`${what} was not made: ${error.message}`)
      return false
    }
  }

  async #verify({ databases }: MigrationPlan): Promise<BucketVerdict[]> {
    const { target, source, journal, selection } = this.#options
    const verdicts: BucketVerdict[] = []
    for (const { name, database, policies } of databases) {
      for (const { policy, weights, fields } of policies) {
        const bucket = { database: database.name, name, policy, weights, fields }
        const range = this.#comparedRange(policy)
        if (range.start >= range.stop) continue
        const verdict = await verifyPolicy(bucket, { source, target, journal, selection, range })
        verdicts.push(verdict)
      }
    }
    return verdicts
  }
}
