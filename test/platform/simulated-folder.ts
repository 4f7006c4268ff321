// A folder in memory: its names now, its names at the last `syncDir`, and the operations in between. `treeAfterCrash`
// builds a tree of folders as a power cut may leave it.
//
// The model: of each folder's unsynced operations a prefix survives, of a length drawn per folder. A journaling file
// system promises about that much: operations in one folder keep their order, those in different folders do not. A
// rename is one operation, also across two folders: both see it or neither does, and a sync of either makes it safe
// in both. A name may survive although its file was never synced; the file is then empty or partial.

import type { Random } from '../../src/platform/random.js'
import { type Keep, SimulatedFile } from './simulated-file.js'

export type SimulatedNode = SimulatedFile | SimulatedFolder

interface NameChange {
  readonly name: string
  /** What the name stands for from now on; undefined: nothing. */
  readonly node: SimulatedNode | undefined
}

interface NameOperation {
  readonly changes: readonly NameChange[]
  /** The other half of a rename across folders. */
  twin?: { readonly folder: SimulatedFolder; readonly operation: NameOperation }
}

export class SimulatedFolder {
  readonly entries: Map<string, SimulatedNode>
  readonly tracked: boolean
  readonly safeEntries: Map<string, SimulatedNode>
  readonly operations: NameOperation[] = []

  /** `entries` count as synced. */
  constructor(tracked: boolean, entries: ReadonlyMap<string, SimulatedNode> = new Map()) {
    this.tracked = tracked
    this.entries = new Map(entries)
    this.safeEntries = new Map(entries)
  }

  set(name: string, node: SimulatedNode): void {
    this.#perform([{ name, node }])
  }

  delete(name: string): void {
    this.#perform([{ name, node: undefined }])
  }

  rename(from: string, target: SimulatedFolder, to: string): void {
    const node = this.entries.get(from)
    const leaving = { name: from, node: undefined }
    const arriving = { name: to, node }
    if (target === this) {
      this.#perform([leaving, arriving])
      return
    }
    const here = this.#perform([leaving])
    const there = target.#perform([arriving])
    here.twin = { folder: target, operation: there }
    there.twin = { folder: this, operation: here }
  }

  sync(): void {
    this.#commit(this.operations.length)
  }

  #perform(changes: readonly NameChange[]): NameOperation {
    const operation: NameOperation = { changes }
    apply(operation, this.entries)
    if (this.tracked) this.operations.push(operation)
    return operation
  }

  #commit(count: number): void {
    for (const operation of this.operations.splice(0, count)) {
      apply(operation, this.safeEntries)
      const twin = operation.twin
      if (twin === undefined) continue
      const index = twin.folder.operations.indexOf(twin.operation)
      if (index >= 0) twin.folder.#commit(index + 1)
    }
  }
}

/** The tree under `root` as it may stand after a power cut now; all of it is on disk then. */
export function treeAfterCrash(root: SimulatedFolder, keep: Keep, random: Random): SimulatedFolder {
  const surviving = survivingOperations(root, keep, random)
  const copies = new Map<SimulatedNode, SimulatedNode>()
  const copy = (node: SimulatedNode): SimulatedNode => {
    const known = copies.get(node)
    if (known !== undefined) return known
    const made =
      node instanceof SimulatedFolder
        ? copyFolder(node)
        : new SimulatedFile(root.tracked, node.afterCrash(keep, random))
    copies.set(node, made)
    return made
  }
  const copyFolder = (folder: SimulatedFolder): SimulatedFolder => {
    const left = new Map(keep === 'all' ? folder.entries : folder.safeEntries)
    if (keep === 'random') {
      const count = surviving.get(folder) ?? 0
      for (const operation of folder.operations.slice(0, count)) apply(operation, left)
    }
    const names = new Map<string, SimulatedNode>()
    for (const [name, node] of left) names.set(name, copy(node))
    return new SimulatedFolder(root.tracked, names)
  }
  return copyFolder(root)
}

/** How many operations of each folder survive; halves of a rename that would be parted are both undone. */
function survivingOperations(
  root: SimulatedFolder,
  keep: Keep,
  random: Random,
): Map<SimulatedFolder, number> {
  const counts = new Map<SimulatedFolder, number>()
  if (keep !== 'random') return counts
  for (const folder of foldersOf(root)) {
    counts.set(folder, random.below(folder.operations.length + 1))
  }
  let changed = true
  while (changed) {
    changed = false
    for (const [folder, count] of counts) {
      const parted = folder.operations.slice(0, count).findIndex((operation) => {
        const twin = operation.twin
        if (twin === undefined) return false
        return twin.folder.operations.indexOf(twin.operation) >= (counts.get(twin.folder) ?? 0)
      })
      if (parted < 0) continue
      counts.set(folder, parted)
      changed = true
    }
  }
  return counts
}

/** Every folder that is in the tree now, was at the last sync, or has been in between. */
function foldersOf(root: SimulatedFolder): Set<SimulatedFolder> {
  const found = new Set([root])
  const visit = (node: SimulatedNode | undefined) => {
    if (node instanceof SimulatedFolder) found.add(node)
  }
  // A set hands out what is added to it while it is walked.
  for (const folder of found) {
    for (const node of folder.safeEntries.values()) visit(node)
    for (const operation of folder.operations) {
      for (const change of operation.changes) visit(change.node)
    }
  }
  return found
}

function apply(operation: NameOperation, names: Map<string, SimulatedNode>): void {
  for (const { name, node } of operation.changes) {
    if (node === undefined) names.delete(name)
    else names.set(name, node)
  }
}
