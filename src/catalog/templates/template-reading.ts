// Templates as they arrive: lists of objects that say what kind they are and what they are called.
// Reads them, puts in what stands for references to the environment, and names every mistake with
// the place where it is.

import { UserError } from '../../errors.js'
import type { EnvReference, TemplateObject } from './template-kinds.js'
import { secretKeyOf } from './template-monitoring.js'
import { isSpec, type Spec } from './template-specs.js'

export interface TemplateProblem {
  readonly kind: string
  readonly reason: string
  readonly fields: readonly string[]
  readonly indexes: readonly number[]
}

export interface ReadTemplate {
  readonly objects: readonly TemplateObject[]
  readonly problems: readonly TemplateProblem[]
  /** Keys that nobody gave a value for, each once, in order; some have a default. */
  readonly missingEnvRefs: readonly string[]
  /** Keys of secrets that the template refers to, each once. */
  readonly secretRefs: readonly string[]
}

const metaNamePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const versionPattern = /^influxdata\.com\/v2alpha[12]$/

/** Deeper than any template that a person writes. */
const depthMax = 100

/** All are applied in one transaction, which everybody else waits for; the largest that people share have a hundred. */
const resourcesMax = 1000

export class TemplateReader {
  readonly #sectionOf: (kind: string) => string | undefined
  readonly #envRefs: Readonly<Record<string, unknown>>
  readonly #objects: TemplateObject[] = []
  readonly #problems: TemplateProblem[] = []
  readonly #missing = new Set<string>()
  readonly #secrets = new Set<string>()
  readonly #names = new Set<string>()
  /** Of the object that is being read. */
  #references: EnvReference[] = []

  /** `sectionOf`: where summaries list a kind, undefined for unknown ones. */
  constructor(
    sectionOf: (kind: string) => string | undefined,
    envRefs: Readonly<Record<string, unknown>> = {},
  ) {
    this.#sectionOf = sectionOf
    this.#envRefs = envRefs
  }

  read(contents: readonly unknown[]): ReadTemplate {
    if (contents.length > resourcesMax) {
      const reason = `a template may have at most ${resourcesMax} resources, not ${contents.length}`
      throw new UserError('unprocessable entity', reason)
    }
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
      missingEnvRefs: [...this.#missing].sort(),
      secretRefs: [...this.#secrets],
    }
  }

  #readObject(item: unknown, index: number): void {
    this.#references = []
    const resolved = this.#resolve(item, '', 0)
    const { apiVersion, kind, metadata, spec: given } = isSpec(resolved) ? resolved : {}
    const spec = given ?? {}
    const name = isSpec(metadata) ? metadata.name : undefined
    const kindText = typeof kind === 'string' ? kind : ''
    const refuse = (reason: string, ...fields: string[]) => {
      this.#problems.push({ kind: kindText, reason, fields, indexes: [index] })
    }
    if (typeof apiVersion !== 'string' || !versionPattern.test(apiVersion)) {
      return refuse('unknown version of the template format', 'apiVersion')
    }
    const section = this.#sectionOf(kindText)
    if (section === undefined) return refuse(`unknown kind "${kindText}"`, 'kind')
    if (typeof name !== 'string' || !metaNamePattern.test(name)) {
      const rule = 'up to 63 lower-case letters, digits and dashes'
      return refuse(`a name is made of ${rule}`, 'metadata', 'name')
    }
    // Checks of both types share their names, and so do endpoints of all types.
    const key = `${section}/${name}`
    if (this.#names.has(key)) return refuse(`name "${name}" is used twice`, 'metadata', 'name')
    this.#names.add(key)
    if (!isSpec(spec)) return refuse('spec must be an object', 'spec')
    const display = displayName(spec) || name
    const labels = labelsOf(spec)
    const envReferences = this.#references
    const object = { kind: kindText, metaName: name, name: display, spec, labels, envReferences }
    this.#objects.push(object)
  }

  /** With references to the environment replaced by their values. */
  #resolve(value: unknown, path: string, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > depthMax) return value
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#resolve(item, `${path}[${index}]`, depth + 1))
    }
    if ('envRef' in value && isSpec(value.envRef)) return this.#environment(value.envRef, path)
    const secret = secretKeyOf(value)
    if (secret !== undefined) this.#secrets.add(secret)
    const within = (key: string) => (path === '' ? key : `${path}.${key}`)
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([key, item]) => [key, this.#resolve(item, within(key), depth + 1)]),
    )
  }

  /** An empty text is what an interactive client sends for a value that it was not told. */
  #environment(reference: Spec, resourceField: string): unknown {
    const envRefKey = String(reference.key)
    const given = Object.hasOwn(this.#envRefs, envRefKey) ? this.#envRefs[envRefKey] : undefined
    const defaultValue = reference.default ?? null
    this.#references.push({ resourceField, envRefKey, value: given ?? null, defaultValue })
    if (given === undefined || given === null) this.#missing.add(envRefKey)
    else if (given !== '') return given
    return defaultValue ?? `env-${envRefKey}`
  }
}

function displayName({ name }: Spec): string {
  return typeof name === 'string' || typeof name === 'number' ? String(name) : ''
}

function labelsOf(spec: Spec): string[] {
  if (!Array.isArray(spec.associations)) return []
  const labels = spec.associations.filter((item) => isSpec(item) && item.kind === 'Label')
  return [...new Set(labels.map((item) => String(item.name)))]
}
