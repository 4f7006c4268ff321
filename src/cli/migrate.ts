// `migrate`: moves an InfluxDB, or another Millrace, into this one, and goes on where it ended when it
// is started again. A person sees a plan, a line of progress and a verdict; a program gets JSON lines.

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { newToken } from '../access/tokens.js'
import { type Flags, parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { parseRange } from '../http/export.js'
import { openStore } from '../index.js'
import { Estimates } from '../migrate/run/estimate.js'
import { Journal } from '../migrate/run/journal.js'
import {
  Migration,
  type MigrationOptions,
  type MigrationOutcome,
} from '../migrate/run/migration.js'
import { type MigrationPlan, planMigration, type Selection } from '../migrate/run/migration-plan.js'
import { TagChanges } from '../migrate/run/tag-changes.js'
import { estimatedSeconds } from '../migrate/run/trial.js'
import { systemClock } from '../platform/clock.js'
import { NodeDisk } from '../platform/node-disk.js'
import { systemRandom } from '../platform/random.js'
import { judgeArguments, migrateFlags } from './arguments.js'
import { type MovedOrganization, moveCatalog, pointsOf } from './migrate-catalog.js'
import {
  clusterPlace,
  isFolder,
  isUrl,
  type OpenedTarget,
  openSource,
  openTarget,
  ownPlace,
} from './migrate-places.js'
import { RunningInstallation, type RunningPlace, runningPlace } from './migrate-running.js'
import { MigrationReport } from './migration-report.js'

interface MigrateArguments {
  readonly flags: Flags
  readonly from: string
  readonly to: string | undefined
  readonly selection: Selection
  readonly passesMax: number
  readonly readersMax: number
  readonly journalPath: string
  /** A whole installation of our own: its catalog is moved first. */
  readonly isWhole: boolean
}

export async function migrateCommand(args: readonly string[]): Promise<number> {
  const wanted = judgeArguments(() => readArguments(args))
  return wanted.isWhole ? moveWhole(wanted) : moveOne(wanted)
}

/** Of an installation of our own everything, one organization after the other. */
async function moveWhole(wanted: MigrateArguments): Promise<number> {
  const { flags, from, to = '' } = wanted
  const places = [ownPlace(from, flags, 'from-'), ownPlace(to, flags, '')] as const
  if (isFolder(to)) mkdirSync(to, { recursive: true })
  const running = isFolder(from) ? runningPlace(from) : undefined
  if (running !== undefined) return moveWhileServed(wanted, running)
  return moveEach(wanted, await moveCatalog(...places))
}

async function moveEach(
  wanted: MigrateArguments,
  organizations: readonly MovedOrganization[],
  another: Pick<MoveOptions, 'verifies'> & { readonly served?: RunningInstallation } = {},
): Promise<number> {
  const { flags, selection, journalPath } = wanted
  const { served, verifies } = another
  let code = 0
  for (const organization of organizations) {
    const { id, name } = organization
    const own = {
      ...wanted,
      flags: new Map([...flags, ['from-org', name], ['org', name]]),
      selection: { ...selection, isInto: true },
      journalPath: `${journalPath}.${id}`,
    }
    const open = served && (() => served.source(organization))
    code = Math.max(code, await moveOne(own, { open, verifies }))
  }
  return code
}

/** What has come meanwhile follows with writes held back. */
async function moveWhileServed(wanted: MigrateArguments, running: RunningPlace): Promise<number> {
  const { flags, to = '', journalPath } = wanted
  const target = ownPlace(to, flags, '')
  const isVerified = flags.get('no-verify') !== 'true'
  const report = new MigrationReport(flags.get('json') === 'true')
  const served = new RunningInstallation(running, flags.get('from-token'), journalPath)
  try {
    const organizations = await moveCatalog(served.copyCatalog(), target)
    const before = { served, verifies: isVerified ? 'settled' : 'none' } as const
    const first = await moveEach(wanted, organizations, before)
    if (first !== 0) return first
    await served.holdWrites()
    const last = await moveCatalog(served.copyCatalog(), target, true)
    const after = { served, verifies: isVerified ? 'unsettled' : 'none' } as const
    const code = await moveEach({ ...wanted, passesMax: 1 }, last, after)
    if (code === 0) report.moved(running.url, await served.moved())
    return code
  } finally {
    report.end()
    await served.close()
  }
}

interface MoveOptions {
  /** Absent: by what the command was called with. */
  readonly open?: (() => Promise<Source>) | undefined
  readonly verifies?: MigrationOptions['verifies'] | undefined
}

async function moveOne(wanted: MigrateArguments, options: MoveOptions = {}): Promise<number> {
  const { flags, journalPath, isWhole } = wanted
  const isDry = flags.get('dry-run') === 'true'
  const workFolder = isDry ? mkdtempSync(`${tmpdir()}/millrace-`) : `${journalPath}.work`
  const all = await (options.open?.() ?? openSource(wanted.from, flags, workFolder))
  const source = isWhole ? pointsOf(all) : all
  const report = new MigrationReport(flags.get('json') === 'true')
  let opened: OpenedTarget | undefined
  try {
    if (isDry) return await dryRun(wanted, source, report)
    // What cannot be read, or not with this token, is told before anything is made.
    await source.describe()
    mkdirSync(dirname(journalPath), { recursive: true })
    opened = await openTarget(wanted.to ?? '', flags)
    return await migrate(wanted, source, opened, report, options.verifies)
  } finally {
    report.end()
    await source.close()
    await opened?.close()
  }
}

type Source = Awaited<ReturnType<typeof openSource>>

/** Looks at the target only where that changes nothing: a folder would have to be made. */
async function dryRun(
  { flags, to, selection }: MigrateArguments,
  source: Source,
  report: MigrationReport,
): Promise<number> {
  const opened = to !== undefined && isUrl(to) ? await openTarget(to, flags) : undefined
  const skip = (damage: Error) => report.note(damage.message)
  const estimates = new Estimates(source, selection)
  const made = new Set<string>()
  const plan = await planMigration(source, opened?.target, selection, made, estimates, skip)
  report.plan(source.title, plan, await triedSeconds(plan, source, selection))
  return plan.obstacles.length === 0 ? 0 : 1
}

/** How long it will take, by some of it, which is written into memory and forgotten. */
async function triedSeconds(plan: MigrationPlan, source: Source, selection: Selection) {
  const { store, close } = await openStore({})
  try {
    const write = (batch: Parameters<typeof store.write>[1]) => store.write('0'.repeat(16), batch)
    const now = () => performance.now()
    return await estimatedSeconds(plan, { source, selection, write, now })
  } finally {
    await close()
  }
}

async function migrate(
  wanted: MigrateArguments,
  source: Source,
  { target, firstLogin }: OpenedTarget,
  report: MigrationReport,
  verifies: MigrationOptions['verifies'] = 'all',
): Promise<number> {
  const { flags, selection, passesMax, readersMax, journalPath } = wanted
  const journal = await Journal.open(new NodeDisk(), journalPath)
  try {
    const subject = subjectOf(wanted)
    if (journal.subject !== undefined && journal.subject !== subject) {
      throw new UserError('invalid', `the journal ${journalPath} is of another migration`)
    }
    if (journal.subject === undefined) await journal.begin(subject)
    report.begin(source.title, journal.units.size, firstLogin)
    const migration = new Migration({
      source,
      target,
      journal,
      selection,
      skipsDamaged: flags.get('skip-damaged') === 'true',
      passesMax,
      readersMax,
      verifies: flags.get('no-verify') === 'true' ? 'none' : verifies,
      now: () => systemClock.now(),
      randomPassword: () => newToken(systemRandom).slice(0, 40),
      onProgress: (progress) => report.progress(progress),
      onNote: (text) => report.note(text),
    })
    const outcome = await migration.run()
    report.outcome(outcome)
    return exitCode(outcome)
  } finally {
    await journal.close()
  }
}

function exitCode({ verdicts, refusedCount }: MigrationOutcome): number {
  return refusedCount > 0 || verdicts.some(({ differences }) => differences.length > 0) ? 3 : 0
}

function oneOf(...places: readonly (string | undefined)[]): string | undefined {
  const [place, another] = places.filter((given) => given !== undefined)
  if (another === undefined) return place
  throw new UserError('invalid', `what to move, and where to, is one each: ${place} or ${another}`)
}

/** What a journal is about. */
function subjectOf({ from, to, selection }: MigrateArguments): string {
  const { databases, renames, measurements, range, tags } = selection
  return JSON.stringify([
    isFolder(from) ? resolve(from) : from,
    to !== undefined && isFolder(to) ? resolve(to) : to,
    [...(databases ?? [])],
    [...renames],
    [...(measurements ?? [])],
    String(range.start),
    String(range.stop),
    // Journals from before there were changes of tags stay valid.
    ...(tags === undefined ? [] : [tags]),
  ])
}

function readArguments(args: readonly string[]): MigrateArguments {
  const flags = parseFlags(args, migrateFlags)
  const from = oneOf(flags.get('from'), flags.get('data-dir'), clusterPlace(flags, 'from-'))
  const to = oneOf(flags.get('to'), clusterPlace(flags, ''))
  if (from === undefined) throw new UserError('invalid', 'flag --from or --data-dir is required')
  if (to === undefined && flags.get('dry-run') !== 'true') {
    throw new UserError('invalid', 'flag --to, or --store with --catalog, is required')
  }
  const readBy = flags.get('read-by')
  if (readBy !== undefined && !/^(backup|influxql|flux|flight|sql)$/.test(readBy)) {
    throw new UserError(
      'invalid',
      `flag --read-by: "${readBy}" is not backup, influxql, flux, flight or sql`,
    )
  }
  const passes = flags.get('passes') ?? '5'
  if (!/^[1-9]\d{0,3}$/.test(passes)) {
    throw new UserError('invalid', `flag --passes: "${passes}" is not a number from 1 to 9999`)
  }
  const selection: Selection = {
    databases: listOf(flags.get('database')),
    renames: pairsOf('rename', flags.get('rename')),
    measurements: listOf(flags.get('measurement')),
    range: parseRange(flags.get('start'), flags.get('stop')),
    isInto: flags.get('into') === 'true',
    tags: tagChanges(flags),
  }
  // Files are decoded by one thread, however many of them are open.
  const readers = flags.get('readers') ?? (isUrl(from) ? '2' : '1')
  if (!/^([1-9]|[1-5]\d|6[0-4])$/.test(readers)) {
    throw new UserError('invalid', `flag --readers: "${readers}" is not a number from 1 to 64`)
  }
  const bounds = { passesMax: Number(passes), readersMax: Number(readers) }
  const isOwn = flags.has('data-dir') || flags.has('from-store')
  const isWhole = isOwn && to !== undefined && !isUrl(to) && flags.get('dry-run') !== 'true'
  const wanted = { flags, from, to, selection, ...bounds, journalPath: '', isWhole }
  return { ...wanted, journalPath: flags.get('journal') ?? defaultJournal(wanted) }
}

/** In the folder that is written to, or here. */
function defaultJournal(wanted: MigrateArguments): string {
  const { to } = wanted
  const name = createHash('sha256').update(subjectOf(wanted)).digest('hex').slice(0, 12)
  const folder = to !== undefined && isFolder(to) ? `${to}/migrations` : '.'
  return `${folder}/migration-${name}.journal`
}

function listOf(text: string | undefined): ReadonlySet<string> | undefined {
  return text === undefined ? undefined : new Set(text.split(','))
}

function tagChanges(flags: Flags): TagChanges | undefined {
  const [drops, renames] = [flags.get('drop-tag'), flags.get('rename-tag')]
  if (drops === undefined && renames === undefined) return undefined
  return new TagChanges(listOf(drops) ?? new Set(), pairsOf('rename-tag', renames))
}

function pairsOf(flag: string, text: string | undefined): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  for (const pair of text?.split(',') ?? []) {
    const [before, after = ''] = pair.split('=')
    if (before === '' || after === '') {
      throw new UserError('invalid', `flag --${flag}: "${pair}" is not OLD=NEW`)
    }
    pairs.set(before, after)
  }
  return pairs
}
