// What kind of server answers at an address, by what it says of itself: InfluxDB names its version in a header of
// every answer, and Millrace its own name where InfluxDB names a commit.

import type { V1Client } from './v1-client.js'

export interface ServerKind {
  readonly isMillrace: boolean
  /** The version of InfluxDB whose interface it has, by its first number. */
  readonly interface: 1 | 2 | 3
}

export async function findServerKind(client: V1Client): Promise<ServerKind> {
  // Not every version has this one, and some want a token.
  const health = await client.look('health')
  const ping = await client.look('ping')
  const told = [
    ping.headers.get('x-influxdb-version'),
    versionIn(health.text),
    versionIn(ping.text),
  ]
  const version = told.find((one) => one !== null && one !== undefined && one !== '') ?? ''
  const first = /^v?([123])\./.exec(version)?.[1]
  // Those in a cloud have names instead of numbers.
  const number = first === undefined ? (version === '' ? 1 : 3) : Number(first)
  const isMillrace = /"commit":"millrace-/.test(health.text)
  return { isMillrace, interface: number as ServerKind['interface'] }
}

function versionIn(text: string): string | undefined {
  return /"version":\s*"([^"]*)"/.exec(text)?.[1]
}
