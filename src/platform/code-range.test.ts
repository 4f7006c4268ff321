// What is counted of a process's map, and that a bounded program starts on the Node that runs the tests, however much
// that one reserves.

import { expect, it } from 'vitest'
import { ChildProgram } from './child-program.js'
import { codeRangeBytes, writableCodeBytes } from './code-range.js'

it('counts private memory that may be written and executed', () => {
  const maps = `00400000-00452000 r-xp 00000000 08:02 173521 /usr/bin/node
7f0000000000-7f0010000000 rwxp 00000000 00:00 0
7f0020000000-7f0020001000 rw-p 00000000 00:00 0
7f0030000000-7f0030001000 rwxp 00000000 00:00 0
`
  expect(writableCodeBytes(maps)).toBe(0x10000000 + 0x1000)
  expect(codeRangeBytes()).toBeLessThan(1024 ** 3)
})

it.skipIf(process.platform !== 'linux')('leaves a program its memory beside it', async () => {
  const text =
    'process.stderr.write(String(new Uint8Array(64e6).fill(1).length), () => process.exit(0))'
  const program = new URL(`../../node_modules/.code-range-${process.pid}.mjs`, import.meta.url)
  const { rmSync, writeFileSync } = await import('node:fs')
  writeFileSync(program, text)
  try {
    const bounds = { dataBytesMax: 160 * 1024 * 1024, heapMegabytesMax: 32 }
    const child = new ChildProgram(program, [], bounds)
    child.hold(true)
    expect(await child.ended).toEqual({ code: 0, signal: null, said: '64000000' })
  } finally {
    rmSync(program)
  }
})
