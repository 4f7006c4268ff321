// From the graph of a script's streams to what runs: each node is looked at together with what is known
// of its input, and where a rule fits, one read of the store takes the place of both. Before anything
// runs, every bucket is found and its use allowed.
//
// A rule is an optimisation: without it the nodes run one after the other and give the same rows. The
// option `planner.disablePhysicalRules` turns rules off by name.

import { UserError } from '../../errors.js'
import { NotedReads } from '../../store/noted-reads.js'
import type { BucketId } from '../../store/store.js'
import type { FluxContext } from '../context/context.js'
import { BucketNode, bucketText } from '../node/bucket-node.js'
import type { StreamNode } from '../node/node.js'
import { NodeProfile, type Running, running, runningBatches } from '../node/runner.js'
import type { Table, TableStream } from '../table/table.js'
import type { BatchStream } from '../table/table-batch.js'
import { LocatedError } from '../value/error.js'
import { profilersOf, profileTables } from './profile.js'
import * as aggregates from './rules/aggregate-rules.js'
import * as columns from './rules/column-rules.js'
import * as groups from './rules/group-rules.js'
import * as pivots from './rules/pivot-rules.js'
import * as reads from './rules/read-rules.js'
import * as reductions from './rules/reduce-rules.js'
import * as schema from './rules/schema-rules.js'
import type { Planned, Rule, Shape } from './rules/shape.js'
import { SharedStream, sharedNodes } from './shared-streams.js'

/** By the names under which the real service has them, where it does; the first that fits is taken. */
const rules: readonly (readonly [string, Rule])[] = [
  ['PushDownRangeRule', reads.rangeRule],
  ['PushDownFilterRule', reads.filterRule],
  ['PushDownSortRule', reads.sortRule],
  ['PushDownLimitRule', reads.limitRule],
  ['PushDownBareAggregateRule', aggregates.bareAggregateRule],
  ['PushDownWindowAggregateRule', aggregates.windowRule],
  ['PushDownWindowAggregateRule', aggregates.windowAggregateRule],
  ['PushDownWindowAggregateRule', aggregates.windowFillRule],
  ['PushDownWindowAggregateRule', aggregates.windowTimeRule],
  ['PushDownWindowAggregateRule', aggregates.unwindowRule],
  ['PushDownGroupAggregateRule', groups.groupRule],
  ['PushDownGroupAggregateRule', groups.groupAggregateRule],
  ['PushDownReduceRule', reductions.reduceRule],
  ['PushDownPivotRule', pivots.pivotRule],
  ['PushDownColumnsRule', columns.chooseRule],
  ['PushDownMapRule', columns.mapRule],
  ['PushDownReadTagValuesRule', schema.keepKeyColumnRule],
  ['PushDownReadTagValuesRule', schema.groupKeyColumnRule],
  ['PushDownReadTagValuesRule', schema.keyValuesRule],
  ['PushDownReadTagValuesRule', schema.groupedValuesRule],
  ['PushDownReadTagKeysRule', schema.keysRule],
  ['PushDownReadTagKeysRule', schema.keepKeysRule],
  ['PushDownReadTagKeysRule', schema.keyNamesRule],
]

/** Several nodes in one where the store has no part in it. */
const shortcutRule = 'ShortcutRule'
/** Small tables in batches, between functions that know them. */
const batchRule = 'TableBatchRule'

/** A bucket is only ever read in bounds: this one cannot be turned off. */
const alwaysOn = 'PushDownRangeRule'

export interface PlannedResults {
  /** One for each node, in order. None has begun to run. Batches are in them where the caller takes them. */
  readonly streams: readonly BatchStream[]
  /** The tables of `profiler`, to be read behind all others; undefined: none are wanted. */
  readonly profile: TableStream | undefined
}

/** Throws where a bucket is not bounded, not there, or not to be used by whoever asks. */
export async function planResults(
  nodes: readonly StreamNode[],
  context: FluxContext,
  inBatches = false,
): Promise<PlannedResults> {
  const start = context.scope.clock.now()
  const all = reachable(nodes)
  checkBounds(nodes, all)
  const buckets = await findBuckets(all, context)
  const profilers = await profilersOf(context)
  if (profilers.has('query')) context.reads = new NotedReads()
  const planner = new Planner(context, {
    buckets,
    disabled: await disabledRules(context),
    shared: sharedNodes(nodes, all),
    isProfiled: profilers.size > 0,
  })
  for (const node of nodes) await planner.plan(node)
  const streams = nodes.map((node) => (inBatches ? planner.batches(node) : planner.stream(node)))
  if (profilers.size === 0) return { streams, profile: undefined }
  const planNs = context.scope.clock.now() - start
  const profile = profileTables(profilers, planner.profiles, { startNs: start, planNs }, context)
  return { streams, profile }
}

/** Plans and runs one stream, for whoever looks into it while the script is still being evaluated. */
export function executed(node: StreamNode, context: FluxContext): TableStream {
  return context.streaming(plannedStream(node, context))
}

async function* plannedStream(
  node: StreamNode,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const { streams } = await planResults([node], context)
  yield* streams[0] as TableStream
}

/** Inputs before what is made of them; each once. */
function reachable(nodes: readonly StreamNode[]): ReadonlySet<StreamNode> {
  const seen = new Set<StreamNode>()
  const stack: { readonly node: StreamNode; readonly isReady: boolean }[] = []
  for (const node of [...nodes].reverse()) stack.push({ node, isReady: false })
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, isReady } = top
    if (isReady) seen.add(node)
    else if (!seen.has(node)) {
      stack.push({ node, isReady: true })
      for (const input of node.inputs) stack.push({ node: input, isReady: false })
    }
  }
  return seen
}

function isFrom(node: StreamNode): node is BucketNode {
  return node.operation === 'influxdata/influxdb.from' && node instanceof BucketNode
}

function checkBounds(results: readonly StreamNode[], all: ReadonlySet<StreamNode>): void {
  for (const node of results) if (isFrom(node)) throw unbounded(node)
  for (const node of all) {
    if (node.operation === 'universe.range') continue
    for (const input of node.inputs) if (isFrom(input)) throw unbounded(input)
  }
}

function unbounded({ reference }: BucketNode): LocatedError {
  const read = `cannot submit unbounded read to "${bucketText(reference)}"`
  const hint = "try bounding 'from' with a call to 'range'"
  return new LocatedError(`error in building plan while starting program: ${read}; ${hint}`)
}

async function findBuckets(
  nodes: ReadonlySet<StreamNode>,
  { scope }: FluxContext,
): Promise<ReadonlyMap<StreamNode, BucketId>> {
  const found = new Map<StreamNode, BucketId>()
  for (const node of nodes) {
    if (!(node instanceof BucketNode)) continue
    try {
      found.set(node, await scope.bucket(node.reference, node.action))
    } catch (error) {
      throw initFailure(error, node)
    }
  }
  return found
}

function initFailure(error: unknown, { reference }: BucketNode): unknown {
  if (!(error instanceof UserError)) return error
  const prefix = 'failed to initialize execute state: '
  if (error.message.startsWith(prefix)) return new LocatedError(error.message, error.code)
  const isMissing = error.code === 'not found'
  const cause = isMissing ? `could not find bucket "${bucketText(reference)}"` : error.message
  return new LocatedError(prefix + cause, error.code)
}

/** Those that what runs in the place of the node does too, from the first on. */
function takenNodes(node: StreamNode, source: StreamNode | undefined): readonly StreamNode[] {
  const taken: StreamNode[] = []
  for (let at = node.inputs[0]; at !== undefined && at !== source; at = at.inputs[0]) {
    taken.unshift(at)
  }
  return taken
}

async function disabledRules(context: FluxContext): Promise<ReadonlySet<string>> {
  const names = await context.option('planner', 'disablePhysicalRules')
  const all = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  return new Set(all as readonly string[])
}

interface PlannerOptions {
  readonly buckets: ReadonlyMap<StreamNode, BucketId>
  /** Names of rules. */
  readonly disabled: ReadonlySet<string>
  /** Nodes that run once, however many read them. */
  readonly shared: ReadonlySet<StreamNode>
  readonly isProfiled: boolean
}

class Planner {
  readonly #context: FluxContext
  readonly #options: PlannerOptions
  readonly #rules: readonly Rule[]
  readonly #hasShortcuts: boolean
  readonly #hasBatches: boolean
  readonly #planned = new Map<StreamNode, Planned>()
  readonly #shared = new Map<StreamNode, SharedStream>()
  readonly profiles: NodeProfile[] = []

  constructor(context: FluxContext, options: PlannerOptions) {
    const { disabled } = options
    this.#context = context
    this.#options = options
    this.#hasShortcuts = !disabled.has(shortcutRule)
    this.#hasBatches = !disabled.has(batchRule)
    const isOn = (name: string) => name === alwaysOn || !disabled.has(name)
    this.#rules = rules.filter(([name]) => isOn(name)).map(([, rule]) => rule)
  }

  async plan(result: StreamNode): Promise<void> {
    for (const node of reachable([result])) {
      if (!this.#planned.has(node)) this.#planned.set(node, await this.#planNode(node))
    }
  }

  async #planNode(node: StreamNode): Promise<Planned> {
    if (isFrom(node)) return { shape: { kind: 'bucket', bucket: this.#options.buckets.get(node)! } }
    const shape = this.#inputShape(node)
    if (shape === undefined) return this.#planShortcut(node)
    // Tables pass through it as they are.
    if (node.operation === 'universe.yield') return { shape }
    for (const rule of this.#rules) {
      const planned = await rule(node, shape, this.#context)
      if (planned !== undefined) return planned
    }
    return this.#planShortcut(node)
  }

  #planShortcut(node: StreamNode): Planned {
    const shortcut = this.#hasShortcuts ? node.shortcut : undefined
    if (shortcut === undefined) return {}
    const { source, run } = shortcut
    return { source, run: () => run(this.stream(source), this.#context) }
  }

  #inputShape({ inputs }: StreamNode): Shape | undefined {
    return inputs.length === 1 ? this.#planned.get(inputs[0])?.shape : undefined
  }

  stream(node: StreamNode): TableStream {
    if (!this.#options.shared.has(node)) {
      const { running: run, start } = this.#run(node, false)
      return running(run, start)
    }
    const shared = this.#shared.get(node) ?? this.#share(node)
    this.#shared.set(node, shared)
    return shared.tables()
  }

  #share(node: StreamNode): SharedStream {
    const { running: run, start } = this.#run(node, false)
    return new SharedStream(running(run, start), this.#context.memory)
  }

  /** For a reader that knows batches. */
  batches(node: StreamNode): BatchStream {
    if (!this.#hasBatches || this.#options.shared.has(node)) return this.stream(node)
    const { running: run, start } = this.#run(node, true)
    return runningBatches(run, start)
  }

  #run(node: StreamNode, inBatches: boolean): { running: Running; start: () => BatchStream } {
    const { run, source } = this.#planned.get(node)!
    const profile = this.#profile(node)
    if (profile !== undefined && run !== undefined) profile.taken = takenNodes(node, source)
    const general = (): BatchStream => {
      if (profile !== undefined) profile.taken = []
      const streams = node.inputs.map((input) => {
        return node.takesBatches ? this.batches(input) : this.stream(input)
      })
      return node.run(streams as readonly TableStream[], this.#context)
    }
    const start = run === undefined ? general : () => run(general, inBatches)
    return { running: { node, context: this.#context, profile }, start }
  }

  #profile(node: StreamNode): NodeProfile | undefined {
    if (!this.#options.isProfiled) return undefined
    const profile = new NodeProfile(node, this.#context.scope.clock)
    this.profiles.push(profile)
    return profile
  }
}
