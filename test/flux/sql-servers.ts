// Real databases for the tests of `sql`: servers of Debian's packages on ports of this machine, with their files in a
// temporary folder, and the program of a session as it is built for the service.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { OutgoingAddresses } from '../../src/platform/outgoing-address.js'
import { DatabaseProcesses } from '../../src/platform/outside-databases.js'
import type { SqlLimits } from '../../src/platform/sql-client.js'
import { freePort } from '../free-port.js'

export interface DatabaseServer {
  readonly port: number
  stop(): Promise<void>
}

export interface KillableServer extends DatabaseServer {
  kill(): Promise<void>
  /** After a kill, with the data that it had. */
  start(): Promise<void>
}

const postgresBinaries = newestPostgres()
const mariadb = { install: '/usr/bin/mariadb-install-db', server: '/usr/sbin/mariadbd' }

/** What is missing; undefined: nothing. */
export const postgresMissing =
  postgresBinaries === undefined ? 'postgresql is not installed' : undefined
export const mariadbMissing =
  existsSync(mariadb.install) && existsSync(mariadb.server)
    ? undefined
    : 'mariadb-server is not installed'

function newestPostgres(): string | undefined {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return undefined
  const found = readdirSync(root).map((version) => `${root}/${version}/bin`)
  return found.filter((folder) => existsSync(`${folder}/initdb`)).at(-1)
}

/** A user and a database `flux`, with the password `flux`. Encrypted connections are possible. */
export async function startPostgres(): Promise<KillableServer> {
  const { folder, as, cleanUp } = serverFolder('postgres')
  const data = `${folder}/data`
  writeFileSync(`${folder}/password`, 'flux')
  own(`${folder}/password`, as)
  const initialise = ['-D', data, '-U', 'flux', '--auth=scram-sha-256', '--encoding=UTF8']
  const rest = ['--locale=C.UTF-8', `--pwfile=${folder}/password`, '--no-sync']
  execFileSync(`${postgresBinaries}/initdb`, [...initialise, ...rest], { ...as, stdio: 'ignore' })
  selfSigned(data, as)
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    ssl: 'on',
    ssl_cert_file: 'certificate.pem',
    ssl_key_file: 'key.pem',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', data, '-p', `${port}`, ...options]
  const begin = () => spawn(`${postgresBinaries}/postgres`, args, { ...as, stdio: 'ignore' })
  let server = begin()
  const psql = (database: string, sql: string) => {
    const env = { ...process.env, PGPASSWORD: 'flux' }
    const target = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'flux', '-d', database]
    execFileSync(`${postgresBinaries}/psql`, [...target, '-c', sql], { env, stdio: 'ignore' })
  }
  await untilReady(() => psql('postgres', 'CREATE DATABASE flux'), server)
  return {
    port,
    stop: () => stop(server, 'SIGINT', cleanUp),
    async kill() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGKILL')
      await ended
    },
    async start() {
      // It refuses to start while a process of the killed one is still there.
      for (let tries = 0; ; tries++) {
        server = begin()
        try {
          return await untilReady(() => psql('flux', 'SELECT 1'), server)
        } catch (error) {
          if (tries === 50) throw error
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      }
    },
  }
}

/** A user and a database `flux`, with the password `flux`. */
export async function startMariadb(): Promise<DatabaseServer> {
  const { folder, as, cleanUp } = serverFolder('mysql')
  const data = `${folder}/data`
  const common = ['--no-defaults', `--datadir=${data}`]
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db', '--force']
  execFileSync(mariadb.install, [...common, ...install], { ...as, stdio: 'ignore' })
  const port = await freePort()
  const socket = `${folder}/socket`
  const options = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${socket}`]
  const server = spawn(mariadb.server, [...common, ...options], { ...as, stdio: 'ignore' })
  const sql = `CREATE DATABASE flux; CREATE USER flux@'%' IDENTIFIED BY 'flux'; GRANT ALL ON flux.* TO flux@'%'`
  const command = ['--no-defaults', '-u', 'root', '-S', socket, '-e', sql]
  await untilReady(() => execFileSync('mariadb', command, { stdio: 'ignore' }), server)
  return { port, stop: () => stop(server, 'SIGTERM', cleanUp) }
}

interface Identity {
  readonly uid?: number
  readonly gid?: number
}

/** The servers refuse to run as root: where tests do, they run as their own user. */
function serverFolder(user: string): { folder: string; as: Identity; cleanUp: () => void } {
  const folder = mkdtempSync(`${tmpdir()}/millrace-${user}-`)
  const isRoot = process.getuid?.() === 0
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  const as = isRoot ? { uid: id('-u'), gid: id('-g') } : {}
  own(folder, as)
  return { folder, as, cleanUp: () => rmSync(folder, { recursive: true, force: true }) }
}

function own(path: string, { uid, gid }: Identity): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

function selfSigned(folder: string, as: Identity): void {
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/certificate.pem`]
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  const options = { ...as, stdio: 'ignore' } as const
  execFileSync('openssl', [...kind, '-subj', '/CN=elsewhere.example', ...files], options)
}

async function untilReady(attempt: () => void, server: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return attempt()
    } catch (error) {
      if (tries === 300 || server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

async function stop(
  server: ChildProcess,
  signal: 'SIGINT' | 'SIGTERM',
  cleanUp: () => void,
): Promise<void> {
  if (server.exitCode === null) {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    const timer = setTimeout(() => server.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
  }
  cleanUp()
}

export interface SessionProgram {
  readonly program: URL
  cleanUp(): void
}

/** Under node_modules, where its dependencies are found. */
export async function buildSessionProgram(): Promise<SessionProgram> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const folder = mkdtempSync(`${root}node_modules/.sql-`)
  await build({
    entryPoints: { 'sql-process': `${root}src/platform/sql-process.ts` },
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
  const program = pathToFileURL(`${folder}/sql-process.js`)
  return { program, cleanUp: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface ReachOptions {
  readonly arePrivateHostsAllowed?: boolean
  readonly sqliteFolder?: string
  readonly limits?: Partial<SqlLimits>
}

export function databasesWith(program: URL, options: ReachOptions = {}): DatabaseProcesses {
  const { arePrivateHostsAllowed = true, sqliteFolder } = options
  const sizes = { sessionsMax: 4, receivedBytesMax: 1 << 30 }
  const limits = { connectSecondsMax: 10, sessionSecondsMax: 60, ...sizes }
  return new DatabaseProcesses({
    addresses: new OutgoingAddresses({ arePrivateHostsAllowed }),
    sqliteFolder,
    limits: { ...limits, ...options.limits },
    program,
  })
}

export function temporaryFolder(): { path: string; cleanUp: () => void } {
  const path = mkdtempSync(`${tmpdir()}/millrace-sqlite-`)
  mkdirSync(`${path}/inner`)
  return { path, cleanUp: () => rmSync(path, { recursive: true, force: true }) }
}
