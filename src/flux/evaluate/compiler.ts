// What compiling a piece of text needs to know: the names in reach, the package it belongs to, and the
// library. Expressions and statements are compiled beside; this is what they share.

import type { FunctionExpression, SourceLocation } from '../syntax/ast.js'
import { FluxError, LocatedError, locationText } from '../value/error.js'
import type { FluxValue } from '../value/value.js'
import type { Evaluate } from './evaluate.js'
import type { Frame } from './frame.js'
import { FrameSize, NameScope, type Place } from './name-scope.js'
import type { PackageSources } from './package-source.js'

/** A name of a package: of the one whose text this is, or of the prelude. */
export interface PackageName {
  readonly path: string
  readonly place: number
  readonly isOption: boolean
}

/** The type of a function as text, where the text was checked. Asked only where somebody wants to see it. */
export type FunctionTypes = (node: FunctionExpression) => string | undefined

export class Compiler {
  readonly library: PackageSources
  readonly scope: NameScope
  /** undefined: the script itself. */
  readonly packagePath: string | undefined
  readonly functionType: FunctionTypes

  private constructor(
    library: PackageSources,
    scope: NameScope,
    packagePath: string | undefined,
    functionType: FunctionTypes,
  ) {
    this.library = library
    this.scope = scope
    this.packagePath = packagePath
    this.functionType = functionType
  }

  static forScript(
    library: PackageSources,
    functionType: FunctionTypes = noFunctionTypes,
  ): Compiler {
    return new Compiler(library, topScope(), undefined, functionType)
  }

  static forPackage(library: PackageSources, path: string): Compiler {
    return new Compiler(library, topScope(), path, noFunctionTypes)
  }

  /** The same text, inside a function or a block of it. */
  within(scope: NameScope): Compiler {
    return new Compiler(this.library, scope, this.packagePath, this.functionType)
  }

  /** A name that no scope of this text has. */
  packageName(name: string): PackageName | undefined {
    const { packagePath, library } = this
    const own = packagePath === undefined ? undefined : library.source(packagePath)
    const source = own?.contents.builtins.has(name) ? own : library.prelude(name, packagePath)
    if (source === undefined) return undefined
    return {
      path: source.path,
      place: source.layout.place(name),
      isOption: source.contents.options.has(name),
    }
  }

  identifier(name: string, location: SourceLocation): Evaluate {
    const place = this.scope.find(name)
    if (place !== undefined) return slotReader(place, name)
    const found = this.packageName(name)
    if (found === undefined) throw compileError(location, `undefined identifier ${name}`)
    const { path, place: at } = found
    return (frame) => frame.run.package(path).at(at)
  }
}

const noFunctionTypes: FunctionTypes = () => undefined

function topScope(): NameScope {
  return new NameScope(new FrameSize(), undefined)
}

export function compileError(location: SourceLocation, message: string): LocatedError {
  return new LocatedError(`compilation failed: error @${locationText(location)}: ${message}`)
}

function slotReader({ hops, index }: Place, name: string): Evaluate {
  // The innermost frames are what row functions read all the time.
  if (hops === 0) return (frame) => frame.slots[index] ?? missing(frame.slots[index], name)
  if (hops === 1) {
    return (frame) => {
      const value = frame.parent!.slots[index]
      return value ?? missing(value, name)
    }
  }
  return (frame) => {
    const value = frameAt(frame, hops).slots[index]
    return value ?? missing(value, name)
  }
}

export function frameAt(frame: Frame, hops: number): Frame {
  let found = frame
  for (let i = 0; i < hops; i++) found = found.parent!
  return found
}

function missing(value: null | undefined, name: string): FluxValue {
  if (value === null) return null
  throw new FluxError(`undefined identifier "${name}"`)
}
