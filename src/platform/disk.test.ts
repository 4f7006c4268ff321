// The disk contract against all disks, and what only the real one can show: failures that the system raises and how
// they are told.

import { constants, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runDiskContract } from '../../test/platform/disk-contract.js'
import { SimulatedDisk } from '../../test/platform/simulated-disk.js'
import { DiskError } from '../errors.js'
import { writeFileAtomically } from './disk.js'
import { diskErrorCode, diskFailure, systemError } from './disk-failure.js'
import { MemoryDisk } from './memory-disk.js'
import { NodeDisk } from './node-disk.js'

runDiskContract('NodeDisk', async () => {
  const folder = await mkdtemp(`${tmpdir()}/millrace-disk-`)
  const dispose = () => rm(folder, { recursive: true, force: true })
  return { disk: new NodeDisk(), folder, dispose }
})

runDiskContract('MemoryDisk', async () => {
  const disk = new MemoryDisk()
  await disk.makeDir('/data')
  return { disk, folder: '/data', dispose: async () => {} }
})

for (const trackCrashes of [false, true]) {
  runDiskContract(`SimulatedDisk (${trackCrashes ? 'tracked' : 'untracked'})`, async () => {
    const disk = new SimulatedDisk({ trackCrashes })
    await disk.makeDir('/data')
    return { disk, folder: '/data', dispose: async () => {} }
  })
}

describe('a log', () => {
  it.runIf(process.platform === 'linux')('is opened so that the system syncs writes', async () => {
    const folder = await mkdtemp(`${tmpdir()}/millrace-disk-`)
    const path = `${folder}/a`
    await writeFileAtomically(new NodeDisk(), folder, 'a', new Uint8Array(1))
    const file = await new NodeDisk().open(path, 'log')
    expect(flagsOfOpen(path) & constants.O_DSYNC).toBe(constants.O_DSYNC)
    await file.close()
    await rm(folder, { recursive: true, force: true })
  })
})

/** How this process has opened a file, as the system tells it. */
function flagsOfOpen(path: string): number {
  const descriptors = readdirSync('/proc/self/fd')
  const found = descriptors.find((each) => linkOf(`/proc/self/fd/${each}`) === path)
  const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${found}`, 'utf8'))
  return Number.parseInt(flags?.[1] ?? '', 8)
}

/** The descriptor that lists the folder is gone by then. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

describe('failures', () => {
  it('name the reason in words and keep the code', () => {
    const error = diskFailure('write', '/data/wal', systemError('ENOSPC'))
    expect(error.message).toBe('cannot write: no space left on device (/data/wal)')
    expect(diskErrorCode(error)).toBe('ENOSPC')
  })

  it('keep the words of an error that has no code', () => {
    const error = diskFailure('read', '/data/wal', new Error('out of luck'))
    expect(error.message).toBe('cannot read: out of luck (/data/wal)')
    expect(diskErrorCode(error)).toBeUndefined()
  })

  it.runIf(process.platform === 'linux')('of a full device are told as such', async () => {
    const file = await new NodeDisk().open('/dev/full', 'write')
    const error = await file.write([new Uint8Array(10)], 0).catch((caught: unknown) => caught)
    await file.close()
    expect(error).toBeInstanceOf(DiskError)
    expect((error as DiskError).message).toBe('cannot write: no space left on device (/dev/full)')
  })
})
