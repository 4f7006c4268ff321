// The page about dependencies names all that are shipped, with the licence that each states itself; and no package runs
// anything when it is installed, but those that are known to.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { duckdbPackage } from '../../src/sql/engine/missing-duckdb.js'
import { owners } from './dependencies.js'

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

const manifest = json('package.json')

it('docs/dependencies.md lists every package of the program with its licence, and how it comes', () => {
  const page = readFileSync('docs/dependencies.md', 'utf8')
  const found = page.matchAll(/^\| (\S+) \| (\S+) \| (\S+) \| .+ \|$/gm)
  const rows = Array.from(found, ([, name, licence, how]) => [name, licence, how])
  const wanted = Object.keys(owners).map((name) => [
    name,
    json(`node_modules/${name}/package.json`).license,
    how(name),
  ])
  expect(rows.filter(([name]) => name !== 'package')).toEqual(wanted)
})

function how(name: string): string {
  if (name in manifest.dependencies) return 'installed'
  return name in manifest.optionalDependencies ? 'optional' : 'bundled'
}

it('the message about DuckDB names the version that package.json has', () => {
  const version = manifest.optionalDependencies['@duckdb/node-api']
  expect(duckdbPackage).toBe(`@duckdb/node-api@${version}`)
})

it('nothing is run at installation but what is known', () => {
  const packages: Record<string, { hasInstallScript?: boolean }> =
    json('package-lock.json').packages
  const names = Object.keys(packages).filter((name) => packages[name].hasInstallScript === true)
  expect(names.sort()).toEqual(['node_modules/esbuild', 'node_modules/protobufjs'])
})

it('nothing that is installed with the program runs anything then', () => {
  const packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }> =
    json('package-lock.json').packages
  const names = Object.keys(packages).filter((name) => packages[name].hasInstallScript === true)
  expect(names.filter((name) => packages[name].dev !== true)).toEqual([])
})

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

it('the lock file has the packages of every platform, not only of the one that it was made on', () => {
  const packages: Record<string, Locked> = json('package-lock.json').packages
  const isLocked = (from: string, name: string): boolean => {
    const inside = from === '' ? '' : `${from}/`
    if (`${inside}node_modules/${name}` in packages) return true
    return (
      from !== '' &&
      isLocked(from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name)
    )
  }
  const wanted = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ from, name })),
  )
  expect(
    wanted.filter(({ name }) => name.startsWith('@duckdb/node-bindings-')).length,
  ).toBeGreaterThan(4)
  expect(wanted.filter(({ from, name }) => !isLocked(from, name))).toEqual([])
})
