// Debian's InfluxDB 1.x in a process of its own, with its folders where a test can look into them.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './api/client.js'
import { freePort } from './free-port.js'

/** Tests that need it are skipped with a word where it is not installed. */
export const hasInfluxd = spawnSync('influxd', ['version']).status === 0
if (!hasInfluxd) console.warn('influxd is not installed: tests with a real InfluxDB are skipped')

export interface Influxd {
  readonly url: string
  /** Holds `meta`, `data` and `wal`. */
  readonly folder: string
  /** Where `influxd backup` asks. */
  readonly backupHost: string
  /** Times are numbers of nanoseconds, or texts where `epoch` is empty. */
  query(text: string, database?: string, epoch?: string): Promise<InfluxResult[]>
  /** Or the words of the error; undefined: none within that time, and the query is given up. */
  answer(
    text: string,
    database: string,
    patienceMs: number,
  ): Promise<InfluxResult[] | string | undefined>
  write(database: string, lines: string, policy?: string): Promise<void>
  stop(): Promise<void>
}

export interface InfluxResult {
  readonly error?: string
  readonly series?: readonly {
    readonly name?: string
    readonly tags?: Readonly<Record<string, string>>
    readonly columns: readonly string[]
    readonly values: readonly (readonly unknown[])[]
  }[]
}

/** `settings` go into the section `[data]` of its configuration. */
export async function startInfluxd(settings = ''): Promise<Influxd> {
  const folder = temporaryFolder()
  for (const name of ['meta', 'data', 'wal']) mkdirSync(`${folder}/${name}`)
  const [httpPort, backupPort] = [await freePort(), await freePort()]
  writeFileSync(`${folder}/influxdb.conf`, configuration(folder, httpPort, backupPort, settings))
  const child = spawn('influxd', ['-config', `${folder}/influxdb.conf`], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${httpPort}`
  await answering(url, child)
  return {
    url,
    folder,
    backupHost: `127.0.0.1:${backupPort}`,
    query: (text, database, epoch) => ask(url, text, database, epoch),
    answer: (text, database, patienceMs) =>
      answerOf(url, { q: text, db: database }, AbortSignal.timeout(patienceMs)).catch((error) => {
        if ((error as Error).name !== 'TimeoutError') throw error
        return undefined
      }),
    write: (database, lines, policy) => send(url, database, lines, policy),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

function configuration(folder: string, http: number, backup: number, settings: string): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${backup}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
  query-log-enabled = false
  ${settings}
[http]
  bind-address = "127.0.0.1:${http}"
  log-enabled = false
[monitor]
  store-enabled = false
`
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/ping`).catch(() => undefined)
    if (answer?.status === 204) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('influxd ended before it answered')
}

async function ask(
  url: string,
  text: string,
  database = '',
  epoch = 'ns',
): Promise<InfluxResult[]> {
  const answer = await answerOf(url, { q: text, db: database, epoch })
  if (typeof answer === 'string') throw new Error(`${text}: ${answer}`)
  return answer
}

async function answerOf(
  url: string,
  asked: Record<string, string>,
  signal: AbortSignal | null = null,
): Promise<InfluxResult[] | string> {
  const body = new URLSearchParams(asked)
  const answer = await fetch(`${url}/query`, { method: 'POST', body, signal })
  const { results = [], error } = (await answer.json()) as {
    results?: InfluxResult[]
    error?: string
  }
  return error ?? results.find((result) => result.error !== undefined)?.error ?? results
}

async function send(url: string, database: string, body: string, policy = ''): Promise<void> {
  const answer = await fetch(`${url}/write?db=${database}&rp=${policy}`, { method: 'POST', body })
  if (answer.status !== 204) throw new Error(await answer.text())
}
