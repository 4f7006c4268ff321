// Stacks: which resources came out of which template, so that applying it again changes them
// instead of making others. A stack remembers what happened to it; the last event says how it is.

import { type CatalogContext, timestamp } from '../base/context.js'
import { type CatalogRecord, Records } from '../base/records.js'

export interface StackResource {
  readonly kind: string
  readonly resourceId: string
  readonly metaName: string
  readonly associations: readonly { readonly kind: string; readonly metaName: string }[]
}

export interface StackEvent {
  readonly eventType: 'create' | 'update' | 'uninstall'
  readonly name: string
  readonly description: string
  readonly sources: readonly string[]
  readonly urls: readonly string[]
  readonly resources: readonly StackResource[]
  readonly updatedAt: string
}

export interface StackBody {
  /** Never empty, the latest last. */
  readonly events: readonly StackEvent[]
}

export type Stack = CatalogRecord<StackBody>

export type StackChange = Partial<Omit<StackEvent, 'eventType' | 'updatedAt'>>

/** Older events are forgotten, so that a template that is applied every minute does no harm. */
const eventsMax = 100

export class Stacks {
  readonly records: Records<StackBody>
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
    this.records = new Records(context, { kind: 'stack', noun: 'stack' })
  }

  async create(orgId: string, change: StackChange): Promise<Stack> {
    const empty = { name: '', description: '', sources: [], urls: [], resources: [] }
    const updatedAt = timestamp(this.#context)
    const event: StackEvent = { ...empty, ...change, eventType: 'create', updatedAt }
    return this.records.create({ orgId, name: event.name, body: { events: [event] } })
  }

  /** In a transaction. What is not given stays as the last event has it. */
  async add(id: string, eventType: StackEvent['eventType'], change: StackChange): Promise<Stack> {
    const stack = await this.records.require(id)
    const updatedAt = timestamp(this.#context)
    const event: StackEvent = { ...lastEvent(stack), ...change, eventType, updatedAt }
    const events = [...stack.body.events, event].slice(-eventsMax)
    return this.records.update(id, { name: event.name, body: { events } })
  }
}

export function lastEvent(stack: Stack): StackEvent {
  return stack.body.events[stack.body.events.length - 1]
}
