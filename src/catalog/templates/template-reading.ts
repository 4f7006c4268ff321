// Templates as they arrive: lists of objects that say what kind they are and what they are called.
// Reads them, puts in what stands for references to the environment, and names every mistake with
// the place where it is.

import type { TemplateObject } from './template-kinds.js'
import { secretKeyOf } from './template-monitoring.js'
import type { Spec } from './template-specs.js'

export interface TemplateProblem {
  readonly kind: string
  readonly reason: string
  readonly fields: readonly string[]
  readonly indexes: readonly number[]
}

export interface ReadTemplate {
  readonly objects: readonly TemplateObject[]
  readonly problems: readonly TemplateProblem[]
  /** Keys without a value, each once. */
  readonly missingEnvRefs: readonly string[]
  /** Keys of secrets that the template refers to, each once. */
  readonly secretRefs: readonly string[]
}

const metaNamePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const versionPattern = /^influxdata\.com\/v2alpha[12]$/

/** Deeper than any template that a person writes. */
const depthMax = 100

export class TemplateReader {
  readonly #isKnownKind: (kind: string) => boolean
  readonly #envRefs: Readonly<Record<string, unknown>>
  readonly #objects: TemplateObject[] = []
  readonly #problems: TemplateProblem[] = []
  readonly #missing = new Set<string>()
  readonly #secrets = new Set<string>()

  constructor(
    isKnownKind: (kind: string) => boolean,
    envRefs: Readonly<Record<string, unknown>> = {},
  ) {
    this.#isKnownKind = isKnownKind
    this.#envRefs = envRefs
  }

  read(contents: readonly unknown[]): ReadTemplate {
    contents.forEach((item, index) => {
      this.#readObject(item, index)
    })
    const labels = new Set(this.#objects.filter((o) => o.kind === 'Label').map((o) => o.metaName))
    for (const { kind, metaName, labels: worn } of this.#objects) {
      const missing = worn.filter((label) => !labels.has(label))
      if (missing.length === 0) continue
      const reason = `${metaName} wears labels that are not in the template: ${missing.join(', ')}`
      this.#problems.push({ kind, reason, fields: ['spec', 'associations'], indexes: [] })
    }
    return {
      objects: this.#objects,
      problems: this.#problems,
      missingEnvRefs: [...this.#missing],
      secretRefs: [...this.#secrets],
    }
  }

  #readObject(item: unknown, index: number): void {
    const resolved = this.#resolve(item, 0)
    const { apiVersion, kind, metadata, spec = {} } = isFields(resolved) ? resolved : {}
    const name = isFields(metadata) ? metadata.name : undefined
    const kindText = typeof kind === 'string' ? kind : ''
    const refuse = (reason: string, ...fields: string[]) => {
      this.#problems.push({ kind: kindText, reason, fields, indexes: [index] })
    }
    if (typeof apiVersion !== 'string' || !versionPattern.test(apiVersion)) {
      return refuse('unknown version of the template format', 'apiVersion')
    }
    if (!this.#isKnownKind(kindText)) return refuse(`unknown kind "${kindText}"`, 'kind')
    if (typeof name !== 'string' || !metaNamePattern.test(name)) {
      const rule = 'up to 63 lower-case letters, digits and dashes'
      return refuse(`a name is made of ${rule}`, 'metadata', 'name')
    }
    if (this.#objects.some((object) => object.metaName === name)) {
      return refuse(`name "${name}" is used twice`, 'metadata', 'name')
    }
    if (!isFields(spec)) return refuse('spec must be an object', 'spec')
    const display = typeof spec.name === 'string' && spec.name !== '' ? spec.name : name
    const labels = labelsOf(spec)
    this.#objects.push({ kind: kindText, metaName: name, name: display, spec, labels })
  }

  /** With references to the environment replaced by their values. */
  #resolve(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > depthMax) return value
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item, depth + 1))
    if ('envRef' in value && isFields(value.envRef)) return this.#environment(value.envRef)
    const secret = secretKeyOf(value)
    if (secret !== undefined) this.#secrets.add(secret)
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, item]) => [key, this.#resolve(item, depth + 1)]))
  }

  #environment(reference: Spec): unknown {
    const key = String(reference.key)
    const given = Object.hasOwn(this.#envRefs, key) ? this.#envRefs[key] : undefined
    const value = given ?? reference.default
    if (value !== undefined) return value
    this.#missing.add(key)
    return `env-${key}`
  }
}

function labelsOf(spec: Spec): string[] {
  if (!Array.isArray(spec.associations)) return []
  const labels = spec.associations.filter((item) => isFields(item) && item.kind === 'Label')
  return labels.map((item) => String(item.name))
}

function isFields(value: unknown): value is Spec {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
