// Backups of a service that is killed while it gives one, and restores that are killed themselves: the folder of
// backups holds whole ones only, the next backup succeeds, and what a second restore brings is a service with all that
// was acknowledged.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, program, ServiceProcess } from './service-process.js'
import type { Place } from './torture-actors.js'

class Command {
  readonly child: ChildProcess
  readonly #ended: Promise<unknown>
  #output = ''

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']
    this.child = spawn(process.execPath, [program, ...args], {
      stdio,
      env: { ...process.env, ...env },
    })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk
      })
    }
    this.#ended = once(this.child, 'close')
  }

  async end(): Promise<number | null> {
    await this.#ended
    return this.child.exitCode
  }

  async mustSucceed(what: string): Promise<void> {
    const code = await this.end()
    if (code !== 0) throw new Error(`${what} ended with ${code}: ${this.#output.slice(-2000)}`)
  }
}

export class TortureBackups {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-torture-backups-'))
  #count = 0

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #backups(): string {
    return join(this.#folder, 'backups')
  }

  #begin({ url, token }: Place): Command {
    const env = { MILLRACE_HOST: url, MILLRACE_TOKEN: token }
    return new Command(['backup', this.#backups, '--keep', '3'], env)
  }

  /** Under way for so long when the service is about to be killed; the command sees how that ends. */
  async beginAndWait(place: Place, ms: number): Promise<() => Promise<unknown>> {
    const command = this.#begin(place)
    await pause(ms)
    return () => command.end()
  }

  /** A backup of what is there, restored by a command that is killed and by one that is not, and served. */
  async restored(place: Place, killAfterMs: number): Promise<ServiceProcess> {
    await this.#begin(place).mustSucceed('the backup after a kill')
    await new Command(['backup', 'verify', this.#backups]).mustSucceed('verifying')
    rmSync(join(this.#folder, `restored-${this.#count}`), { recursive: true, force: true })
    const dataDir = join(this.#folder, `restored-${++this.#count}`)
    const restore = ['restore', this.#backups, '--data-dir', dataDir]
    const first = new Command(restore)
    await pause(killAfterMs)
    first.child.kill('SIGKILL')
    // One that was through already is whole: a second is refused then.
    if ((await first.end()) !== 0) {
      const second = new Command(restore)
      const code = await second.end()
      if (code !== 0) await this.#mustBeServable(dataDir, second)
    }
    return new ServiceProcess(dataDir)
  }

  /** Killed when everything had its name: there is nothing to start again. */
  async #mustBeServable(dataDir: string, refused: Command): Promise<void> {
    const check = new Command(['check', dataDir])
    if ((await check.end()) !== 0) await refused.mustSucceed('the second restore')
  }
}
