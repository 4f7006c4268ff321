// Every package has an owner: the parts of src that may import it. Whoever adds a dependency adds its line here.

import { importsOf, isRelative, packageOf } from './imports.js'
import { isTest, partOf, type SourceFile } from './source.js'

export const owners: Readonly<Record<string, readonly string[]>> = {
  '@clickhouse/client': ['store'],
  '@duckdb/node-api': ['sql'],
  '@fastify/ajv-compiler': ['http'],
  // Flight is served, and read where a server of 3.x is moved.
  '@grpc/grpc-js': ['flight', 'migrate'],
  // In the catalog the fields of each resource are stated, once for validation, types and the interface's page.
  '@sinclair/typebox': ['http', 'catalog'],
  'apache-arrow': ['flight', 'migrate', 'sql'],
  'cli-progress': ['cli'],
  fastify: ['http'],
  jose: ['access'],
  kysely: ['catalog'],
  libsql: ['platform'],
  mysql2: ['platform'],
  nodemailer: ['platform'],
  pg: ['platform'],
  'pg-cursor': ['platform'],
  pino: ['http', 'cli'],
  'prom-client': ['http'],
  re2js: ['column'],
  yaml: ['catalog'],
}

export function checkDependencyOwners(
  files: readonly SourceFile[],
  table: Readonly<Record<string, readonly string[]>> = owners,
): string[] {
  const findings: string[] = []
  for (const file of files) {
    const part = partOf(file.path)
    // Tests may bring what they test against.
    if (part === undefined || isTest(file.path)) continue
    for (const { specifier, line } of importsOf(file)) {
      if (isRelative(specifier) || specifier.startsWith('node:')) continue
      const name = packageOf(specifier)
      const allowed = table[name]
      if (allowed === undefined) {
        findings.push(`${file.path}:${line}: package ${name} has no owner`)
      } else if (!allowed.includes(part)) {
        const where = allowed.join(' and ')
        findings.push(`${file.path}:${line}: package ${name} may be imported only in ${where}`)
      }
    }
  }
  return findings
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Installed with the program, as they are not in its bundle. */
export function installedNames(manifest: Manifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
}

/**
 * Compares the table with package.json, both ways. What is installed with the program needs an owner; what is in its
 * bundle is a development dependency, as are many that have none.
 */
export function checkOwnersComplete(
  manifest: Manifest,
  table: Readonly<Record<string, readonly string[]>> = owners,
): string[] {
  const installed = installedNames(manifest)
  const known = new Set([...installed, ...Object.keys(manifest.devDependencies ?? {})])
  const unowned = installed.filter((name) => !(name in table))
  const gone = Object.keys(table).filter((name) => !known.has(name))
  return [
    ...unowned.map((name) => `package.json: dependency ${name} has no owner in the table`),
    ...gone.map((name) => `package.json: ${name} has an owner but is no dependency`),
  ]
}
