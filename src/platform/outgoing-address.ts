// Where a script may connect to. A host's name is resolved here, every address it has is judged, and the caller
// connects to one of those that come back, never to the name: asked again, a name may mean another machine. Refused
// hosts are told in the same words as hosts that do not exist, so that nobody can feel out the network around us.

import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { UserError } from '../errors.js'

export interface OutgoingAddress {
  readonly address: string
  readonly family: 4 | 6
}

export const noSuchHost = 'no such host'

export type LookUpHost = (host: string) => Promise<readonly OutgoingAddress[]>

/** Networks that are not of the public internet: IANA's registry of special addresses, and multicast. */
const privateIpv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const privateIpv6: readonly (readonly [string, number])[] = [
  // The unspecified address, loopback, and the old way to write an IPv4 address in an IPv6 one.
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['100:0:0:1::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

/** Prefixes whose last 32 bits are the IPv4 address that is meant; that of mapped ones is known to BlockList. */
const ipv4Carriers = ['64:ff9b::', '::ffff:0:']
const carrierBits = 96

function privateNetworks(): BlockList {
  const list = new BlockList()
  for (const [network, bits] of privateIpv4) {
    list.addSubnet(network, bits, 'ipv4')
    for (const carrier of ipv4Carriers) {
      list.addSubnet(`${carrier}${network}`, carrierBits + bits, 'ipv6')
    }
  }
  for (const [network, bits] of privateIpv6) list.addSubnet(network, bits, 'ipv6')
  return list
}

/** What is no address at all counts as private. */
export function isPrivateAddress(address: string, networks = privateNetworks()): boolean {
  const bare = withoutZone(address)
  const family = isIP(bare)
  return family === 0 || networks.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

/** `fe80::1%eth0` → `fe80::1`. */
function withoutZone(address: string): string {
  const zone = address.indexOf('%')
  return zone < 0 ? address : address.slice(0, zone)
}

export interface OutgoingAddressesOptions {
  /** Whether loopback and private networks may be reached too. */
  readonly arePrivateHostsAllowed: boolean
  /** Default: as the machine resolves names. */
  readonly lookUp?: LookUpHost | undefined
}

export class OutgoingAddresses {
  readonly #arePrivateHostsAllowed: boolean
  readonly #lookUp: LookUpHost
  /** Made for the first request: no server needs them to start. */
  #privateNetworks: BlockList | undefined

  constructor({ arePrivateHostsAllowed, lookUp = lookUpHost }: OutgoingAddressesOptions) {
    this.#arePrivateHostsAllowed = arePrivateHostsAllowed
    this.#lookUp = lookUp
  }

  /**
   * At least one address to connect to, best first. `host` is a name or an address, an IPv6 one with or without
   * brackets. Throws UserError where there is none, or where one of them may not be reached: a name that means both a
   * public and a private machine is a trap.
   */
  async resolve(host: string): Promise<readonly OutgoingAddress[]> {
    const name = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
    const literal = isIP(name)
    const addresses =
      literal === 0 ? await this.#named(name) : [{ address: name, family: literal as 4 | 6 }]
    this.#privateNetworks ??= privateNetworks()
    const networks = this.#privateNetworks
    const isRefused = ({ address }: OutgoingAddress) => isPrivateAddress(address, networks)
    if (addresses.length === 0 || (!this.#arePrivateHostsAllowed && addresses.some(isRefused))) {
      throw new UserError('invalid', noSuchHost)
    }
    return addresses
  }

  async #named(name: string): Promise<readonly OutgoingAddress[]> {
    // A name without letters and digits, or with a byte that no name has, is not asked about.
    if (!/^[\w.-]{1,253}$/.test(name)) return []
    try {
      return await this.#lookUp(name)
    } catch {
      return []
    }
  }
}

async function lookUpHost(host: string): Promise<readonly OutgoingAddress[]> {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}
