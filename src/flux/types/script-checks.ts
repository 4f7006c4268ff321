// The checks of scripts, each form of a script once: dashboards send the same one all day with other times, hosts and
// numbers in it, and nothing that is checked depends on what a literal says. A form that was found sound is known by
// its key, its tree without places and without the values of literals; whatever is wrong with a script is part of its
// key, or was never kept.

import { LruCache } from '../../platform/lru-cache.js'
import type { File, FunctionExpression } from '../syntax/ast.js'
import { treeDepthMax } from '../syntax/syntax-errors.js'
import { checkScript } from './check.js'
import type { TypeLibrary } from './library.js'
import type { TypeProblem } from './problem.js'
import type { Type } from './terms.js'

const keyBytesMax = 1 << 20

export interface ScriptCheck {
  readonly errors: readonly TypeProblem[]
  /** Of a function of the script; seldom asked for. */
  functionType(node: FunctionExpression): Type | undefined
}

export class ScriptChecks {
  readonly #library: TypeLibrary
  readonly #sound = new LruCache<string, true>({
    bytesMax: keyBytesMax,
    sizeOf: (_, key) => 128 + 2 * key.length,
  })

  constructor(library: TypeLibrary) {
    this.#library = library
  }

  check(file: File, extern: File | undefined): ScriptCheck {
    const key = formOf(extern === undefined ? [file] : [extern, file])
    if (key !== undefined && this.#sound.get(key) === true) return this.#known(file, extern)
    const { errors, functions } = checkScript(file, this.#library, { extern })
    if (key !== undefined && errors.length === 0) this.#sound.set(key, true)
    return { errors, functionType: (node) => functions.get(node) }
  }

  /** Types belong to the nodes of one tree: who asks for one gets them worked out for this one. */
  #known(file: File, extern: File | undefined): ScriptCheck {
    let functions: ReadonlyMap<FunctionExpression, Type> | undefined
    return {
      errors: [],
      functionType: (node) => {
        functions ??= checkScript(file, this.#library, { extern }).functions
        return functions.get(node)
      },
    }
  }
}

/** Their values make no difference; those of labels do. */
const literals: ReadonlySet<unknown> = new Set([
  'StringLiteral',
  'TextPart',
  'BooleanLiteral',
  'FloatLiteral',
  'IntegerLiteral',
  'UnsignedIntegerLiteral',
  'RegexpLiteral',
  'DurationLiteral',
  'DateTimeLiteral',
])

/** Where a text is a name: of a property, or of a package. */
const namePlaces: ReadonlySet<string> = new Set(['key', 'property', 'path', 'extends'])

/** undefined: the trees are deeper than a sound script is, or longer than is worth keeping. */
export function formOf(files: readonly File[]): string | undefined {
  const form = new Form()
  return form.write(files, false, 0) ? form.text : undefined
}

const formLengthMax = 32_768

class Form {
  text = ''

  /** False: no more of it. */
  write(part: unknown, isName: boolean, depth: number): boolean {
    if (typeof part !== 'object' || part === null) {
      // Quoted, so that no text looks like the end of itself and something else.
      this.text += typeof part === 'string' ? JSON.stringify(part) : String(part)
      return this.text.length <= formLengthMax
    }
    // Lists and plain groups of nodes lie between two nodes.
    if (depth > 3 * treeDepthMax) return false
    const isOpen = 'type' in part && literals.has(part.type) && !isName
    this.text += '('
    for (const name in part) {
      if (name === 'location' || (isOpen && (name === 'value' || name === 'values'))) continue
      this.text += `${name} `
      const child = (part as Record<string, unknown>)[name]
      if (!this.write(child, namePlaces.has(name), depth + 1)) return false
    }
    this.text += ')'
    return true
  }
}
