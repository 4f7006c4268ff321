// One run of one script: its meters, the packages it has touched, and the streams it asked to see. This
// is the context that library functions get.

import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { PointMeter } from '../../query/limits.js'
import type { NotedReads } from '../../store/noted-reads.js'
import type { FluxContext } from '../context/context.js'
import { MemoryMeter } from '../context/memory-meter.js'
import type { FluxScope } from '../context/scope.js'
import { StepMeter } from '../context/step-meter.js'
import { Yielder } from '../context/yielder.js'
import type { StreamNode } from '../node/node.js'
import { FluxError, LimitError } from '../value/error.js'
import { PlacedRecord, SlotRecord } from '../value/record.js'
import { checkArrayLength, checkTextLength } from '../value/size.js'
import {
  Bytes,
  FluxFunction,
  type FluxRecord,
  type FluxValue,
  Regexp,
  Time,
} from '../value/value.js'

/** Calls inside each other. Scripts cannot recurse, so that only long chains of functions come near it. */
const depthMax = 400

const regexpsMax = 256
const bytesPerCharacter = 2
const bytesPerElement = 16
/** A name with its place, and the value there. */
const bytesPerProperty = 96
/** A letter of a pattern that is compiled takes as long as so many of a text. */
const partsPerLetter = 16
/** Characters and elements that are gone over in the time of a call. */
const partsPerStep = 64

/** A stream that the script wants carried out. */
export interface SideEffect {
  readonly node: StreamNode
  /** The function is called for what it does (`to`); else it stands alone as a statement. */
  readonly isCall: boolean
}

/** A package as one run of a script sees it: a record whose options can be set. */
export abstract class PackageRecord extends PlacedRecord {
  abstract setOption(name: string, value: FluxValue): void
}

/** The packages of the library, for runs. */
export interface Packages {
  /** undefined: there is no such package. */
  open(path: string, run: Run): PackageRecord | undefined
  /** The package that a name without an import belongs to. */
  preludePath(name: string): string | undefined
}

export class Run implements FluxContext {
  readonly scope: FluxScope
  readonly signal: AbortSignal
  readonly memory: MemoryMeter
  readonly points: PointMeter
  readonly steps: StepMeter
  readonly yielder: Yielder
  reads: NotedReads | undefined
  /** Streams that the script calls for, in the order in which it did. */
  readonly sideEffects: SideEffect[] = []
  readonly #library: Packages
  readonly #regexps = new Map<string, Regexp>()
  readonly #packages = new Map<string, PackageRecord>()
  #depth = 0
  /** A row function waits for something. */
  #isRowOpen = false
  #streams = 0

  constructor(scope: FluxScope, signal: AbortSignal, library: Packages) {
    this.scope = scope
    this.signal = signal
    this.#library = library
    const { memoryBytesMax, pointsMax, stepsMax, timeoutSeconds } = scope.limits
    this.memory = new MemoryMeter(memoryBytesMax, scope.figures)
    this.points = new PointMeter(pointsMax, scope.figures)
    this.yielder = new Yielder(signal, scope.giveWay)
    this.steps = new StepMeter(stepsMax, timeoutSeconds, scope.clock, signal, this.yielder)
  }

  /** A function is called. */
  enter(): void {
    if (this.#streams > 0) this.steps.rowStep(this.isBetweenRows)
    else this.steps.step()
    if (++this.#depth <= depthMax) return
    this.#depth--
    throw new LimitError(`functions call each other more than ${depthMax} deep`)
  }

  leave(): void {
    this.#depth--
  }

  /** No function is being called, nor waits for something. */
  get isBetweenRows(): boolean {
    return this.#depth === 0 && !this.#isRowOpen
  }

  /** What goes on after waiting still belongs to the row whose function gave the promise, and counts with it. */
  withinRow(result: Promise<FluxValue>): Promise<FluxValue> {
    this.#isRowOpen = true
    return result.finally(() => {
      this.#isRowOpen = false
    })
  }

  regexp(pattern: string): Regexp {
    let regexp = this.#regexps.get(pattern)
    if (regexp === undefined) {
      regexp = new Regexp(pattern)
      if (this.#regexps.size >= regexpsMax) this.#regexps.clear()
      this.#regexps.set(pattern, regexp)
    }
    return regexp
  }

  /** Values that a library function goes over. */
  weigh(values: Iterable<FluxValue>): void {
    let parts = 0
    for (const value of values) parts += partsOf(value)
    if (parts >= partsPerStep) this.yielder.add(parts / partsPerStep)
  }

  /**
   * A value that a library function made. While the script is evaluated nearly all of them are kept, so that they count
   * as held; those of row functions come and go.
   */
  held(value: FluxValue): FluxValue {
    this.yielder.add(partsOf(value) / partsPerStep)
    if (typeof value === 'string') {
      checkTextLength(value.length)
      if (this.#streams === 0) this.memory.take(value.length * bytesPerCharacter)
    } else if (Array.isArray(value)) {
      checkArrayLength(value.length)
      if (this.#streams === 0) this.memory.take(value.length * bytesPerElement)
    } else if (value instanceof Bytes && this.#streams === 0) this.memory.take(value.bytes.length)
    return value
  }

  /** Records that grow property by property are copied each time, names and all: thousands of wide ones are a lot. */
  holdRecord(record: FluxRecord): void {
    if (!(record instanceof SlotRecord)) return
    const properties = record.layout.names.length
    this.memory.take(properties * bytesPerProperty)
    this.yielder.add(properties / partsPerStep)
  }

  /** Tables are on their way: what fails now fails in a row function, whose calls messages do not list. */
  get isStreaming(): boolean {
    return this.#streams > 0
  }

  /** Throws UserError where there is no such package. */
  package(path: string): PackageRecord {
    const known = this.#opened(path)
    if (known === undefined) throw new UserError('invalid', `invalid import path ${path}`)
    return known
  }

  #opened(path: string): PackageRecord | undefined {
    let instance = this.#packages.get(path)
    if (instance === undefined) {
      instance = this.#library.open(path, this)
      if (instance !== undefined) this.#packages.set(path, instance)
    }
    return instance
  }

  now(): MaybePromise<bigint> {
    const now = this.option('universe', 'now')
    if (!(now instanceof FluxFunction)) throw new FluxError('the option now is not a function')
    const time = now.call(new Map())
    return time instanceof Promise ? time.then(momentOf) : momentOf(time)
  }

  /** An option of any package of the prelude is found under `universe`. */
  option(packagePath: string, name: string): FluxValue | undefined {
    const path = packagePath === 'universe' ? this.#library.preludePath(name) : packagePath
    return path === undefined ? undefined : this.#opened(path)?.get(name)
  }

  /** The same stream; while it is read, `isStreaming`. */
  async *streaming<T>(stream: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    this.#streams++
    try {
      yield* stream
    } finally {
      this.#streams--
    }
  }
}

function partsOf(value: FluxValue): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  if (value instanceof Regexp) return value.pattern.length * partsPerLetter
  return value instanceof Bytes ? value.bytes.length : 0
}

function momentOf(value: FluxValue): bigint {
  if (value instanceof Time) return value.ns
  throw new FluxError('the option now does not tell a time')
}
