// Servers of both variants with the same points in the database `b`.

import type { ServerOptions } from '../../src/index.js'
import { ManualClock } from '../../src/platform/clock.js'
import { adminToken, install, send, start } from '../api/harness.js'

export interface Place {
  readonly host: string
  readonly token: string
}

export const startNs = 1_700_000_000_000_000_000n

export const homeLines = [
  `home,room=Kitchen temp=21.5,co=9i,ok=true,note="warm" ${startNs + 1n}`,
  `home,room=Kitchen temp=22.5 ${startNs + 60_000_000_002n}`,
  `home,room=Bath temp=19 ${startNs + 3n}`,
]

const clock = () => new ManualClock(startNs + 100_000_000_000n)

async function cluster(options: ServerOptions): Promise<Place> {
  const { url } = await start({ variant: 'cluster', adminToken, clock: clock(), ...options })
  return { host: url, token: adminToken }
}

async function managed(options: ServerOptions): Promise<Place> {
  const { url, token } = await install({ clock: clock(), ...options })
  return { host: url, token }
}

export type Variant = 'managed' | 'cluster'

export async function placeOf(variant: Variant, options: ServerOptions = {}): Promise<Place> {
  const place = await (variant === 'cluster' ? cluster(options) : managed(options))
  await writeLines(place, homeLines)
  return place
}

export async function writeLines({ host, token }: Place, lines: readonly string[]): Promise<void> {
  const answer = await send(`${host}/write?db=b`, { method: 'POST', token, body: lines.join('\n') })
  if (answer.status !== 204) throw new Error(answer.text)
}
