// Which addresses may be reached, in every way to write them, and what names may hide: the lookups here are given, save
// for the last test, which asks the machine about itself.

import { expect, it } from 'vitest'
import { isPrivateAddress, OutgoingAddresses } from './outgoing-address.js'

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.10.20.30',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.2.1',
  '192.168.0.0',
  '198.19.0.1',
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  '::ffff:127.0.0.1%eth0',
  'ff02::1',
  'localhost',
  '',
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

it.each([
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

const publicAddress = { address: '8.8.8.8', family: 4 } as const
const privateAddress = { address: '10.0.0.1', family: 4 } as const
const names = new Map([
  ['public.example', [publicAddress]],
  ['private.example', [privateAddress]],
  ['both.example', [publicAddress, privateAddress]],
  ['nothing.example', []],
])

async function lookUp(host: string) {
  const found = names.get(host)
  if (found === undefined) throw new Error(`ENOTFOUND ${host}`)
  return found
}

const strict = new OutgoingAddresses({ arePrivateHostsAllowed: false, lookUp })
const open = new OutgoingAddresses({ arePrivateHostsAllowed: true, lookUp })

it('gives the addresses of public hosts', async () => {
  expect(await strict.resolve('public.example')).toEqual([publicAddress])
  expect(await strict.resolve('8.8.8.8')).toEqual([publicAddress])
  const ipv6 = [{ address: '2606:4700::1111', family: 6 }]
  expect(await strict.resolve('[2606:4700::1111]')).toEqual(ipv6)
  expect(await strict.resolve('2606:4700::1111')).toEqual(ipv6)
})

it.each([
  'private.example',
  'both.example',
  'nothing.example',
  'unknown.example',
  '10.0.0.1',
  '[::1]',
  '::ffff:127.0.0.1',
  '',
  'a b',
  'public.example\0.private.example',
])('refuses %j in the words for a host that does not exist', async (host) => {
  await expect(strict.resolve(host)).rejects.toThrow(/^no such host$/)
})

it('lets private hosts through where they are allowed, and only them', async () => {
  expect(await open.resolve('private.example')).toEqual([privateAddress])
  expect(await open.resolve('[::1]')).toEqual([{ address: '::1', family: 6 }])
  await expect(open.resolve('unknown.example')).rejects.toThrow(/^no such host$/)
  await expect(open.resolve('nothing.example')).rejects.toThrow(/^no such host$/)
})

it('finds what the machine resolves to itself', async () => {
  const machine = new OutgoingAddresses({ arePrivateHostsAllowed: false })
  await expect(machine.resolve('localhost')).rejects.toThrow(/^no such host$/)
  // Spellings that the C library takes for 127.0.0.1.
  for (const spelling of ['2130706433', '0177.0.0.1', '0x7f.1', '127.1']) {
    await expect(machine.resolve(spelling)).rejects.toThrow(/^no such host$/)
  }
  const allowed = new OutgoingAddresses({ arePrivateHostsAllowed: true })
  const [first] = await allowed.resolve('localhost')
  expect(['127.0.0.1', '::1']).toContain(first.address)
})
