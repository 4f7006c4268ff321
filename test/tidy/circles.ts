// No circles of imports, types included. Between folders there are none at all, a folder and its sub-folders being
// different ones, and a file directly in src being one by itself. Inside a folder only the recursion of a grammar is a
// reason for one, and each is named here.

import { posix } from 'node:path'
import { importsOf, isRelative, targetOf } from './imports.js'
import { isTest, type SourceFile } from './source.js'

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Files of one folder that may import each other in a circle. */
export interface KnownCircle {
  readonly folder: string
  /** Without `.ts`. */
  readonly files: readonly string[]
  readonly reason: string
}

const knownFileCircles: readonly KnownCircle[] = [
  {
    folder: 'src/flux/syntax',
    files: ['attributes', 'expressions', 'functions', 'primaries', 'records', 'statements'],
    reason: 'the grammar: expressions hold functions, whose blocks hold statements',
  },
  {
    folder: 'src/flux/syntax',
    files: ['print-expressions', 'print-hanging', 'print-statements'],
    reason: 'the printer, by the same grammar',
  },
  {
    folder: 'src/flux/types',
    files: ['infer-calls', 'infer-expressions', 'infer-functions', 'infer-statements'],
    reason: 'the types of expressions, by the same grammar',
  },
  {
    folder: 'src/flux/types',
    files: ['unifier', 'unify-functions', 'unify-records'],
    reason: 'types are made of types',
  },
  {
    folder: 'src/flux/evaluate',
    files: ['calls', 'expressions', 'functions', 'records'],
    reason: 'expressions compiled, by the same grammar',
  },
]

export function checkFolderCircles(files: readonly SourceFile[]): string[] {
  const graph = folderGraph(fileGraph(files))
  return circlesOf(graph).map(
    (circle) => `${shortest(circle, graph).join(' → ')}: a circle of folders`,
  )
}

export function checkFileCircles(
  files: readonly SourceFile[],
  known: readonly KnownCircle[] = knownFileCircles,
): string[] {
  const found = circlesOf(fileGraph(files))
  const allowed = known.map(({ folder, files }) => files.map((file) => `${folder}/${file}.ts`))
  const within = (circle: ReadonlySet<string>, names: readonly string[]) =>
    [...circle].every((path) => names.includes(path))
  const stale = allowed.filter((names) => !found.some((circle) => within(circle, names)))
  const circles = found.filter((circle) => !allowed.some((names) => within(circle, names)))
  return [
    ...stale.map((names) => `${names.join(' ')}: no circle any more, need not be known`),
    ...circles.map((circle) => `${[...circle].sort().join(' ')}: a circle of files`),
  ]
}

function fileGraph(files: readonly SourceFile[]): Graph {
  const graph = new Map<string, ReadonlySet<string>>()
  for (const file of files) {
    if (isTest(file.path)) continue
    const relative = importsOf(file).filter(({ specifier }) => isRelative(specifier))
    graph.set(file.path, new Set(relative.map(({ specifier }) => targetOf(file, specifier))))
  }
  return graph
}

function folderGraph(files: Graph): Graph {
  const graph = new Map<string, Set<string>>()
  for (const [path, targets] of files) {
    const from = folderOf(path)
    const to = graph.get(from) ?? new Set()
    for (const target of targets) if (folderOf(target) !== from) to.add(folderOf(target))
    graph.set(from, to)
  }
  return graph
}

function folderOf(path: string): string {
  const folder = posix.dirname(path)
  return folder === 'src' ? path : folder
}

/** Groups of two and more of which each leads to each (Tarjan, 1972). */
function circlesOf(graph: Graph): ReadonlySet<string>[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: ReadonlySet<string>[] = []
  const visit = (at: string): void => {
    order.set(at, order.size)
    lowest.set(at, order.get(at)!)
    stack.push(at)
    for (const next of graph.get(at) ?? []) {
      if (!graph.has(next)) continue
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(at, Math.min(lowest.get(at)!, lowest.get(next)!))
    }
    if (lowest.get(at) !== order.get(at)) return
    const circle = new Set(stack.splice(stack.indexOf(at)))
    if (circle.size > 1) circles.push(circle)
  }
  for (const start of graph.keys()) if (!order.has(start)) visit(start)
  return circles
}

/** One way around, the first and the last being the same: what is shown of a large group. */
function shortest(circle: ReadonlySet<string>, graph: Graph): string[] {
  const ways = [...circle].map((start) => wayAround(start, circle, graph))
  return ways.reduce((a, b) => (b.length < a.length ? b : a))
}

function wayAround(start: string, circle: ReadonlySet<string>, graph: Graph): string[] {
  const cameFrom = new Map<string, string>()
  const reached = new Set([start])
  for (const at of reached) {
    for (const next of graph.get(at) ?? []) {
      if (next === start) {
        const way = [start]
        for (let back = at; back !== start; back = cameFrom.get(back)!) way.unshift(back)
        return [start, ...way]
      }
      if (!circle.has(next) || reached.has(next)) continue
      cameFrom.set(next, at)
      reached.add(next)
    }
  }
  return [...circle]
}
