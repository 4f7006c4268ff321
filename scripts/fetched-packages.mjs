// Packages of npm that only some tests need and that are no dependencies of the project: fetched once, into a folder
// beside the installed packages, without running their scripts.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The package of npm that has a binary of Node for this machine. */
export const nodePackage = `node-${process.platform}-${process.arch}`

/** `bin/node` of `nodePackage` in a folder that `fetchPackages` gave. */
export function nodeIn(folder) {
  return join(folder, 'node_modules', nodePackage, 'bin/node')
}

/** The folder that has them in its `node_modules`; a version of Node is among them. */
export function fetchPackages(name, packages) {
  const folder = resolve('node_modules/.cache', name)
  if (existsSync(nodeIn(folder))) return folder
  mkdirSync(folder, { recursive: true })
  const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--prefix', folder]
  execFileSync('npm', ['install', ...options, ...packages], { stdio: 'inherit' })
  return folder
}
