// Options: the precedence of their sources, the spellings that each takes, and errors that name
// what was wrong.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  configFileName,
  defaultConfig,
  options,
  parseFlags,
  resolveConfig,
  serveFlags,
} from './config.js'

const flags = (...args: string[]) => parseFlags(args, serveFlags)

describe('precedence', () => {
  it('has defaults', () => {
    const config = resolveConfig({})
    expect(config).toEqual(defaultConfig)
    expect(config.httpAddress).toEqual({ host: '127.0.0.1', port: 8086 })
    expect(config.maxBodyBytes).toBe(25_000_000)
    expect(config.dataDir).toBe('./millrace-data')
    expect(config.adminToken).toBeUndefined()
  })

  it('prefers flags over environment over file', () => {
    const file = { 'max-body': 1, logLevel: 'debug', plan: 'free' }
    const environment = { MILLRACE_MAX_BODY: '2', MILLRACE_LOG_LEVEL: 'warn' }
    const config = resolveConfig({ flags: flags('--max-body', '3'), environment, file })
    expect(config.maxBodyBytes).toBe(3)
    expect(config.logLevel).toBe('warn')
    expect(config.plan).toBe('free')
  })

  it('takes every option from each source, by both spellings of its key', () => {
    for (const option of options) {
      const value = option.placeholder === '' ? 'true' : sampleValue(option.flag)
      const variable = `MILLRACE_${option.flag.toUpperCase().replaceAll('-', '_')}`
      const fromFlag = resolveConfig({ flags: flags(`--${option.flag}=${value}`) })
      expect(fromFlag).not.toEqual(defaultConfig)
      expect(resolveConfig({ environment: { [variable]: value } })).toEqual(fromFlag)
      expect(resolveConfig({ file: { [option.flag]: value } })).toEqual(fromFlag)
      expect(resolveConfig({ file: { [option.key]: value } })).toEqual(fromFlag)
    }
  })

  it('ignores unknown and empty environment variables', () => {
    const environment = { MILLRACE_PORT_8086_TCP: 'x', MILLRACE_PLAN: '' }
    expect(resolveConfig({ environment })).toEqual(defaultConfig)
  })

  it('finds the config file', () => {
    const environment = { MILLRACE_CONFIG: 'b.json' }
    expect(configFileName({ flags: flags('--config', 'a.json'), environment })).toBe('a.json')
    expect(configFileName({ environment })).toBe('b.json')
    expect(configFileName({})).toBeUndefined()
  })
})

it('has every limit that can be set on its page, with its default', () => {
  const page = readFileSync('docs/limits.md', 'utf8')
  const told = page.match(/^\| `--[\w-]+` \| \w+ \| \d+ \|/gm)
  const rowOf = ({ flag, placeholder, default: value }: (typeof options)[number]) =>
    `| \`--${flag}\` | ${placeholder.toLowerCase()} | ${value} |`
  expect(options.map(rowOf)).toEqual(expect.arrayContaining(told ?? []))
  const limits = options.filter(({ key }) => /Max$|BytesMax|TimeoutSeconds$/.test(key))
  expect(told).toEqual(expect.arrayContaining(limits.map(rowOf)))
})

describe('flags', () => {
  it('reads both forms and switches', () => {
    const parsed = flags('--plan=free', '--log-level', 'debug', '--memory', '--write-atomic=false')
    expect([...parsed]).toEqual([
      ['plan', 'free'],
      ['log-level', 'debug'],
      ['memory', 'true'],
      ['write-atomic', 'false'],
    ])
  })

  it('takes values that begin with dashes', () => {
    expect(flags('--admin-token', '--x=1', '--plan', 'free')).toEqual(
      flags('--admin-token=--x=1', '--plan=free'),
    )
  })

  it.each([
    [['--nope'], 'unknown flag --nope'],
    [['--nope=1'], 'unknown flag --nope'],
    [['extra'], 'unexpected argument "extra"'],
    [['--plan'], 'flag --plan needs a value: unlimited|free'],
    [['--plan', '--memory'], 'flag --plan needs a value: unlimited|free'],
    [['--plan=free', '--plan=free'], 'flag --plan is given twice'],
  ])('refuses %j', (args, message) => {
    expect(() => flags(...args)).toThrow(message)
  })
})

describe('values', () => {
  it.each([
    [':8086', '0.0.0.0', 8086],
    ['localhost:0', 'localhost', 0],
    ['[::1]:80', '::1', 80],
  ])('reads the address %s', (address, host, port) => {
    expect(resolveConfig({ flags: flags('--http-address', address) }).httpAddress).toEqual({
      host,
      port,
    })
  })

  it.each([
    ['--http-address=8086', 'flag --http-address: "8086" is not HOST:PORT'],
    ['--http-address=a:99999', 'flag --http-address: "a:99999" is not HOST:PORT'],
    ['--http-address=::1:80', 'flag --http-address: "::1:80" is not HOST:PORT'],
    ['--max-body=25MB', 'flag --max-body: "25MB" is not a whole number'],
    ['--max-body=0', 'flag --max-body: "0" is not a whole number from 1'],
    ['--variant=other', 'flag --variant: "other" is not one of managed, cluster'],
    ['--memory=maybe', 'flag --memory: "maybe" is not true or false'],
    ['--data-dir=', 'flag --data-dir: "" is not a text that is not empty'],
    ['--admin-token=a b', 'flag --admin-token: its value is not printable'],
  ])('refuses %s', (flag, message) => {
    expect(() => resolveConfig({ flags: flags(flag) })).toThrow(message)
  })

  it('names the variable and the key as well', () => {
    const environment = { MILLRACE_PLAN: 'gold' }
    expect(() => resolveConfig({ environment })).toThrow('MILLRACE_PLAN: "gold"')
    expect(() => resolveConfig({ file: { plan: 'gold' } })).toThrow('"plan" in the config file')
    expect(() => resolveConfig({ file: { plan: null } })).toThrow('"plan" in the config file')
    expect(() => resolveConfig({ file: { plann: 'free' } })).toThrow('unknown key "plann"')
    expect(() => resolveConfig({ file: [] })).toThrow('one JSON object')
    expect(() => resolveConfig({ file: { 'max-body': 1, maxBodyBytes: 2 } })).toThrow('twice')
  })
})

function sampleValue(flag: string): string {
  const samples: Record<string, string> = {
    'base-path': '/mill',
    variant: 'cluster',
    role: 'query',
    'http-address': ':1',
    'udp-address': ':1',
    'udp-precision': 's',
    plan: 'free',
    store: 'plain',
    catalog: 'postgres://user@host/database',
    'log-level': 'debug',
    'write-quorum': '2',
  }
  return samples[flag] ?? '17'
}
