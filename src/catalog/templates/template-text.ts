// Templates as texts: YAML, of which JSON is a part. A text holds one object per document, or lists
// of objects. Reading is bounded: the parser takes 1 to 1.5 s for a megabyte of labels on a quiet core
// (`yaml` 2.9, Node 20), in which nothing else is served; JSON is not bound by that.

import { Composer, type Document, LineCounter, Parser, stringify } from 'yaml'
import { checkJsonBounds, jsonValuesMax } from '../../column/json-bounds.js'
import { UserError } from '../../errors.js'

/** Templates that people share have up to 200 KB. */
export const yamlBytesMax = 256 * 1024

/** One of the templates that a request brings. */
export interface TemplateSource {
  readonly contentType?: string | undefined
  readonly sources?: readonly string[] | undefined
  readonly contents?: unknown
}

/** The objects of all of them. What cannot be read is named by its number and where it is from. */
export function templateContents(given: readonly TemplateSource[]): unknown[] {
  let values = 0
  return given.flatMap((source, index) => {
    const { contentType = '', sources = [], contents } = source
    const refuse = (reason: string) => {
      const from = JSON.stringify(sources.join('; '))
      const where = `template[${index}] from source(s) ${from}`
      return new UserError('unprocessable entity', `${where} had an issue: ${reason}`)
    }
    if (isJsonnet(contentType) || sources.some(isJsonnet)) {
      throw refuse('invalid encoding provided: jsonnet')
    }
    if (contents === undefined || contents === null) return []
    if (typeof contents === 'object') return [contents].flat()
    if (typeof contents !== 'string') throw refuse('contents is neither a list nor a text')
    try {
      // Each by itself, and all of them: they are held together.
      if (looksLikeJson(contents)) values += checkJsonBounds(contents)
      if (values > jsonValuesMax) {
        throw new UserError('invalid', `more than ${jsonValuesMax} JSON values in all`)
      }
      return yamlDocuments(contents).flat()
    } catch (error) {
      throw error instanceof UserError ? refuse(error.message) : error
    }
  })
}

/** A name, an address or a content type that promises a program instead of a template. */
export function isJsonnet(name: string): boolean {
  return /jsonnet$/i.test(decoded(name))
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Documents that hold nothing are left out. */
export function yamlDocuments(source: string): unknown[] {
  const json = jsonOf(source)
  if (json !== undefined) return [storable(json)]
  if (Buffer.byteLength(source) > yamlBytesMax) {
    throw new UserError('invalid', `YAML is too large, the maximum is ${yamlBytesMax} bytes`)
  }
  const documents: unknown[] = []
  const lines = new LineCounter()
  const tokens = new Parser(lines.addNewLine).parse(source)
  // Keys are not compared with each other: that takes quadratic time. The last of equal ones holds.
  const composer = new Composer({ uniqueKeys: false, merge: true, logLevel: 'silent' })
  const texts = composer.compose(tokens)
  for (let next = nextOf(texts); !next.done; next = nextOf(texts)) {
    const value = plainValue(next.value, lines)
    if (value !== null && value !== undefined) documents.push(storable(value))
  }
  return documents
}

/** The parser goes down the stack with every level, and has no limit of its own. */
function nextOf<T>(texts: Iterator<T>): IteratorResult<T> {
  try {
    return texts.next()
  } catch (problem) {
    if (!(problem instanceof RangeError)) throw problem
    throw new UserError('invalid', `more than ${nestingMax} levels of nesting`)
  }
}

function looksLikeJson(source: string): boolean {
  return /^\s*[[{]/.test(source)
}

function jsonOf(source: string): unknown {
  if (!looksLikeJson(source)) return undefined
  checkJsonBounds(source)
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

function plainValue(document: Document.Parsed, lines: LineCounter): unknown {
  const [error] = document.errors
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0])
    throw new UserError('invalid', `yaml: line ${line}: ${error.message}`)
  }
  try {
    // Few references: each may stand for as much as it likes.
    return document.toJS({ maxAliasCount: 100 })
  } catch (problem) {
    // References, merges and depths: all that can be wrong here is wrong with the text.
    throw new UserError('invalid', `yaml: ${(problem as Error).message}`)
  }
}

/** As for bodies that are JSON. */
const nestingMax = 500

/** What the catalog can keep: see how bodies that are JSON are read. */
function storable(root: unknown): unknown {
  const rest: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { value, depth } = next
    if (typeof value === 'string') requireText(value)
    if (typeof value !== 'object' || value === null) continue
    if (depth > nestingMax) {
      throw new UserError('invalid', `more than ${nestingMax} levels of nesting`)
    }
    for (const [key, item] of Object.entries(value)) {
      requireText(key)
      rest.push({ value: item, depth: depth + 1 })
    }
  }
  return root
}

function requireText(text: string): void {
  if (text.includes('\0')) throw new UserError('invalid', 'NUL in a string')
  if (/[\p{Cs}]/u.test(text)) throw new UserError('invalid', 'half a character in a string')
}

/** As the interface exports templates: one list. */
export function templateYaml(objects: readonly object[]): string {
  return stringify(objects, { aliasDuplicateObjects: false, lineWidth: 0 })
}
