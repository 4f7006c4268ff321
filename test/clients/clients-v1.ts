// Servers for the tests of v1 clients, of both variants, with a login that every such client can send:
// any user name, and a token as password.

import { execFile, spawnSync } from 'node:child_process'
import type { ServerOptions } from '../../src/index.js'
import { adminToken, install, start } from '../api/harness.js'

export interface V1Server {
  readonly url: string
  readonly port: number
  readonly username: string
  /** A token. */
  readonly password: string
}

export const variants = ['managed', 'cluster'] as const
export type Variant = (typeof variants)[number]

export async function startV1(variant: Variant, options: ServerOptions = {}): Promise<V1Server> {
  if (variant === 'cluster') {
    const { url, port } = await start({ ...options, variant, adminToken })
    return { url, port, username: 'anybody', password: adminToken }
  }
  const { server, url, token } = await install(options)
  return { url, port: server.port, username: 'somebody@example.com', password: token }
}

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end; one that hangs is ended. */
export function runProgram(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  timeout = 50_000,
): Promise<Outcome> {
  const options = { timeout, env: { ...process.env, ...environment } }
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, stdout, stderr })
    })
  })
}

/** Whether a program can be started and ends well. */
export function runs(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
