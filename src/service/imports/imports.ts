// The imports of this process: those under way, and the last that have ended, for whoever wants to know how they went.
// They are kept in memory: after a restart a file is sent again, which changes nothing where its points are there.

import { newId } from '../../catalog/base/ids.js'
import { limits } from '../../config.js'
import { OverloadError, UserError } from '../../errors.js'
import { sweepScratch } from '../../platform/scratch-file.js'
import type { ServiceParts } from '../base/parts.js'
import type { Writes } from '../write/writes.js'
import { type ImportDescription, ImportRun } from './import-run.js'

type ImportsParts = Pick<ServiceParts, 'config' | 'clock' | 'random'> & { readonly writes: Writes }

export class Imports {
  readonly #parts: ImportsParts
  readonly #scratchFolder: string | undefined
  readonly #runs = new Map<string, ImportRun>()
  #swept: Promise<void> | undefined

  constructor(parts: ImportsParts) {
    this.#parts = parts
    const { memory, dataDir } = parts.config
    this.#scratchFolder = memory ? undefined : `${dataDir}/scratch`
  }

  async create(description: ImportDescription): Promise<ImportRun> {
    // The folder is this process's alone: what lies there is nobody's.
    this.#swept ??=
      this.#scratchFolder === undefined ? Promise.resolve() : sweepScratch(this.#scratchFolder)
    await this.#swept
    const all = [...this.#runs.values()]
    const { orgId } = description.bucket
    const underWay = all.filter(({ isUnderWay }) => isUnderWay)
    const ofOrganization = underWay.filter((run) => run.description.bucket.orgId === orgId)
    if (ofOrganization.length >= limits.importsOfOrganizationMax) {
      throw new OverloadError(
        `more than ${limits.importsOfOrganizationMax} imports of the organization under way`,
      )
    }
    if (underWay.length >= limits.importsMax) {
      throw new OverloadError(`more than ${limits.importsMax} imports under way`)
    }
    const ended = all.filter(({ isUnderWay }) => !isUnderWay)
    for (const { id } of ended.slice(0, -limits.importsKept)) this.#runs.delete(id)
    const { clock, random, writes } = this.#parts
    const run = new ImportRun(newId(random), description, {
      writes,
      scratchFolder: this.#scratchFolder,
      now: () => clock.now(),
    })
    this.#runs.set(run.id, run)
    return run
  }

  /** Newest first. */
  list(): ImportRun[] {
    return [...this.#runs.values()].reverse()
  }

  require(id: string): ImportRun {
    const run = this.#runs.get(id)
    if (run === undefined) throw new UserError('not found', 'import not found')
    return run
  }

  /** Ends it where it is under way, and forgets it. */
  async remove(id: string): Promise<void> {
    await this.require(id).cancel()
    this.#runs.delete(id)
  }

  async close(): Promise<void> {
    await Promise.all(this.list().map((run) => run.cancel()))
  }
}
