// An installation as npm makes one, without npm's registry: the files that `npm pack` would pack, and beside them only
// the packages that package.json calls dependencies. Whatever else the program needs is not there.

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = new URL('../..', import.meta.url).pathname

export interface PackedFile {
  readonly path: string
  readonly size: number
}

/** As npm would pack them. */
export function packedFiles(): PackedFile[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline']
  const text = execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
  const [{ files }] = Object.values(JSON.parse(text.toString())) as [{ files: PackedFile[] }]
  return files
}

export interface Installed {
  readonly folder: string
  /** What npm links as the command. */
  readonly command: string
  /** Adds a package, or a scope, to those beside it. */
  add(name: string): void
}

/** Everything of package.json's `dependencies`, and nothing else. */
export function installPacked(files: readonly PackedFile[]): Installed {
  const folder = mkdtempSync(`${tmpdir()}/millrace-package-`)
  const modules = join(folder, 'node_modules')
  for (const { path } of files) {
    const target = join(modules, 'millrace', path)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(join(root, path), target)
  }
  const add = (name: string) => {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  const { dependencies, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) add(name)
  const program = join(modules, 'millrace', bin.millrace)
  chmodSync(program, 0o755)
  mkdirSync(join(modules, '.bin'))
  const command = join(modules, '.bin/millrace')
  symlinkSync(program, command)
  return { folder, command, add }
}

export interface Answer {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

/** By itself: what other tests ask with loads the whole program. */
export async function ask(url: string, options: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(url, options)
  const text = await answer.text()
  const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '')
  return { status: answer.status, text, json: isJson && text !== '' ? JSON.parse(text) : undefined }
}
