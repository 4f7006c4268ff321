// The runner of text tests, tested: what it reads from a file, how it fails, and that a rewritten file passes.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DataDrivenCase, dataDrivenFiles, expectedHere, runDataDriven } from './datadriven.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/millrace-datadriven-`)
  vi.stubEnv('MILLRACE_REWRITE', '')
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function file(...lines: string[]): string {
  const path = `${folder}/case.test`
  writeFileSync(path, lines.join('\n'))
  return path
}

/** Runs the file with a handler that repeats its input, and returns what it was called with. */
async function echo(path: string): Promise<DataDrivenCase[]> {
  const seen: DataDrivenCase[] = []
  await runDataDriven(path, (c) => {
    seen.push(c)
    return c.input
  })
  return seen
}

describe('reading', () => {
  it('takes command, arguments, input and line', async () => {
    const seen = await echo(
      file(
        '# Proves that cases are read.',
        '',
        'query db=metrics from=(a, b) q="SELECT \\"x\\" FROM y" empty= none=() verbose',
        'line one',
        '',
        'line three',
        '----',
        '----',
        'line one',
        '',
        'line three',
        '----',
        '----',
        '# A comment between cases.',
        'flush',
        '----',
        '',
        'last',
        'x',
        '----',
        'x',
      ),
    )
    expect(seen.map((c) => [c.command, c.line, c.input])).toEqual([
      ['query', 3, 'line one\n\nline three'],
      ['flush', 15, ''],
      ['last', 18, 'x'],
    ])
    expect([...seen[0].args]).toEqual([
      ['db', ['metrics']],
      ['from', ['a', 'b']],
      ['q', ['SELECT "x" FROM y']],
      ['empty', ['']],
      ['none', []],
      ['verbose', []],
    ])
  })

  it('ignores one newline at the end of an output', async () => {
    await runDataDriven(file('# x', 'c', '----', 'out', ''), () => 'out\n')
  })

  it.each([
    ['no opening comment', ['c', '----'], ':1: the first line must be a comment'],
    ['no divider', ['# x', 'c', 'input'], ':2: no ---- after this command'],
    ['an open fence', ['# x', 'c', '----', '----', 'a', '----'], ':2: the doubled ---- is never'],
    ['bad arguments', ['# x', 'c a=(b', '----'], ':2: cannot read the arguments from here:  a=(b'],
    ['a repeated argument', ['# x', 'c a=1 a=2', '----'], ':2: argument a is given twice'],
  ])('refuses %s', async (_, lines, message) => {
    await expect(echo(file(...lines))).rejects.toThrow(`case.test${message}`)
  })

  it('finds the files of a folder', () => {
    mkdirSync(`${folder}/sub`)
    for (const name of ['b.test', 'sub/a.test', 'c.test.ts', 'a.txt']) {
      writeFileSync(`${folder}/${name}`, '# x\n')
    }
    expect(dataDrivenFiles(folder)).toEqual([`${folder}/b.test`, `${folder}/sub/a.test`])
  })
})

describe('failing', () => {
  it('shows file, line, expected and actual', async () => {
    const path = file('# x', '', 'sum', '1 2', '----', '3', '4', '')
    const error = await runDataDriven(path, () => '5\n6').catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'AssertionError', expected: '3\n4', actual: '5\n6' })
    expect((error as Error).message).toBe(
      `${path}:3: sum gave another output than expected\n` +
        '  expected:\n    3\n    4\n  actual:\n    5\n    6',
    )
  })

  it('says which case threw', async () => {
    const failing = runDataDriven(file('# x', 'sum', '----'), () => {
      throw new Error('no numbers')
    })
    await expect(failing).rejects.toThrow('case.test:2: sum threw: no numbers')
  })
})

describe('rewriting', () => {
  it('replaces outputs, keeps the rest, and passes afterwards', async () => {
    const outputs: Record<string, string> = {
      plain: 'a\nb',
      blank: 'a\n\nb',
      none: '',
      was: 'short',
    }
    const path = file(
      '# What it proves.',
      '',
      'plain',
      'input',
      '----',
      '',
      '# Kept.',
      'blank x=1',
      '----',
      'old',
      'old',
      '',
      'was',
      '----',
      '----',
      'a',
      '',
      '----',
      '----',
      'none',
      '----',
      'old',
    )
    const handler = (c: DataDrivenCase) => outputs[c.command]
    vi.stubEnv('MILLRACE_REWRITE', '1')
    await runDataDriven(path, handler)
    const text = readFileSync(path, 'utf8')
    expect(text.split('\n')).toEqual(
      [
        ['# What it proves.', '', 'plain', 'input', '----', 'a', 'b', ''],
        ['# Kept.', 'blank x=1', '----', '----', 'a', '', 'b', '----', '----', ''],
        ['was', '----', 'short', ''],
        ['none', '----', ''],
      ].flat(),
    )
    vi.stubEnv('MILLRACE_REWRITE', '')
    await runDataDriven(path, handler)
  })

  it('refuses an output that it could not read back', async () => {
    vi.stubEnv('MILLRACE_REWRITE', '1')
    const failing = runDataDriven(file('# x', 'c', '----', 'kept'), () => 'a\n\n----\n----')
    await expect(failing).rejects.toThrow('looks like its own closing fence')
    expect(readFileSync(`${folder}/case.test`, 'utf8')).toContain('kept')
  })
})

describe('answers that hang on the kind of machine', () => {
  it('are chosen by how it rounds', () => {
    const text = 'm\n  0  {0.1 once, -2e-15 twice}\n  1  {2 once, 3 twice}'
    expect(expectedHere(text, 'arm64')).toBe('m\n  0  0.1\n  1  2')
    expect(expectedHere(text, 'x64')).toBe('m\n  0  -2e-15\n  1  3')
  })

  it('stay both when a file is rewritten', async () => {
    const text = ['# What.', '', 'run', '----', '{1 once, 1 twice}', '']
    const path = file(...text)
    vi.stubEnv('MILLRACE_REWRITE', '1')
    await runDataDriven(path, () => '1')
    expect(readFileSync(path, 'utf8')).toBe(text.join('\n'))
  })
})
