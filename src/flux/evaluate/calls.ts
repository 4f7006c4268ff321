// Calls: callee and arguments are evaluated, the pipe's value goes to the pipe parameter, and an error
// gets the call it came from in front of it.

import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { StreamNode } from '../node/node.js'
import type { FunctionDefinition } from '../package/define.js'
import type { CallExpression, Expression, PipeExpression, Property } from '../syntax/ast.js'
import { FluxError, LimitError, LocatedError, locationText } from '../value/error.js'
import { typeName } from '../value/type-name.js'
import type { FluxValue } from '../value/value.js'
import { type CallArguments, type CallSite, FluxFunction } from '../value/value.js'
import { BuiltinFunction } from './builtin-function.js'
import {
  type Binding,
  bindArguments,
  ClosureFunction,
  type FunctionCode,
} from './closure-function.js'
import { type Compiler, compileError } from './compiler.js'
import { type Evaluate, evaluateAll } from './evaluate.js'
import { compileExpression } from './expressions.js'
import type { Frame } from './frame.js'
import { compileProperty, keyName, repeatedName } from './records.js'

export function compilePipe({ argument, call }: PipeExpression, compiler: Compiler): Evaluate {
  return compileCall(call, argument, compiler)
}

export function compileCall(
  node: CallExpression,
  pipe: Expression | undefined,
  compiler: Compiler,
): Evaluate {
  const callee = compileExpression(node.callee, compiler)
  const properties = argumentsOf(node)
  const names = properties.map(({ key }) => keyName(key))
  const duplicate = repeatedName(names)
  if (duplicate !== undefined) {
    const message = `duplicate keyword parameter specified: "${duplicate}"`
    throw compileError(node.location, message)
  }
  const values = properties.map((property) => compileProperty(property, compiler))
  if (pipe !== undefined) values.push(compileExpression(pipe, compiler))
  const call = new CompiledCall(node, names, pipe !== undefined, compiler.packagePath === undefined)
  return (frame) => {
    const fn = callee(frame)
    // One after the other: a promise that nobody waits for, because what came behind it failed, would end the process.
    if (fn instanceof Promise) {
      return fn.then(async (target) =>
        call.perform(frame, target, await evaluateAll(values, frame)),
      )
    }
    const ready = evaluateAll(values, frame)
    if (ready instanceof Promise) return ready.then((all) => call.perform(frame, fn, all))
    return call.perform(frame, fn, ready)
  }
}

function argumentsOf({ arguments: given = [], location }: CallExpression): readonly Property[] {
  const [first] = given
  if (first === undefined) return []
  if (first.type !== 'ObjectExpression' || given.length > 1) {
    throw compileError(location, 'function parameters must be a record expression')
  }
  return first.properties
}

function nameOf(callee: Expression): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'MemberExpression') return keyName(callee.property)
  if (callee.type === 'ParenExpression') return nameOf(callee.expression)
  return '<anonymous function>'
}

function argumentsMap(names: readonly string[], values: readonly FluxValue[]): CallArguments {
  const args = new Map<string, FluxValue>()
  for (let i = 0; i < names.length; i++) args.set(names[i], values[i])
  return args
}

class CompiledCall {
  readonly #node: CallExpression
  readonly #names: readonly string[]
  readonly #isPiped: boolean
  /** undefined: library text, or a function whose name hides it from messages. */
  readonly #site: CallSite | undefined
  /** Of the function called last, and what its arguments come to: nearly always it is called again. */
  #code: FunctionCode | undefined
  #binding: Binding = new Int32Array(0)
  #definition: FunctionDefinition | undefined
  #argumentNames: readonly string[] = []

  constructor(node: CallExpression, names: readonly string[], isPiped: boolean, isScript: boolean) {
    this.#node = node
    this.#names = names
    this.#isPiped = isPiped
    const functionName = nameOf(node.callee)
    const { start, end } = node.location
    const isShown = isScript && !functionName.startsWith('_')
    this.#site = isShown ? { start, end, functionName } : undefined
  }

  perform(frame: Frame, fn: FluxValue, values: readonly FluxValue[]): MaybePromise<FluxValue> {
    if (!(fn instanceof FluxFunction)) return this.#refuse(frame, fn)
    let result: MaybePromise<FluxValue>
    try {
      result = this.#call(frame, fn, values)
    } catch (error) {
      throw this.#explained(error, frame)
    }
    if (result instanceof Promise) {
      return result.then(
        (value) => this.#noted(frame, fn, value),
        (error) => {
          throw this.#explained(error, frame)
        },
      )
    }
    return this.#noted(frame, fn, result)
  }

  #call(frame: Frame, fn: FluxFunction, values: readonly FluxValue[]): MaybePromise<FluxValue> {
    const site = this.#site ?? frame.site
    if (fn instanceof ClosureFunction) {
      const { code } = fn
      if (code !== this.#code) {
        this.#binding = bindArguments(code, this.#namesFor(fn))
        this.#code = code
      }
      return fn.invoke(this.#binding, values, site)
    }
    if (fn instanceof BuiltinFunction) {
      if (fn.definition !== this.#definition) {
        this.#argumentNames = this.#namesFor(fn)
        fn.check(this.#argumentNames)
        this.#definition = fn.definition
      }
      return fn.invoke(argumentsMap(this.#argumentNames, values), site)
    }
    return fn.call(argumentsMap(this.#namesFor(fn), values), site)
  }

  #namesFor(fn: FluxFunction): readonly string[] {
    if (!this.#isPiped) return this.#names
    const pipe = fn.parameters.find(({ kind }) => kind === 'pipe')
    if (pipe === undefined) {
      const message = 'pipe parameter value provided to function with no pipe parameter defined'
      throw new FluxError(message)
    }
    if (this.#names.includes(pipe.name)) {
      throw new FluxError(`pipe argument also specified as a keyword parameter: "${pipe.name}"`)
    }
    return [...this.#names, pipe.name]
  }

  /** Streams that a call is made for, whatever becomes of its value. */
  #noted({ run }: Frame, fn: FluxFunction, value: FluxValue): FluxValue {
    const isEffect = fn instanceof BuiltinFunction && fn.hasSideEffect && !run.isStreaming
    if (isEffect && value instanceof StreamNode) {
      run.sideEffects.push({ node: value, isCall: true })
    }
    return value
  }

  #refuse({ run }: Frame, fn: FluxValue): never {
    const type = typeName(fn)
    if (run.isStreaming) {
      const what = fn === null ? 'a null value' : `a value of type ${type}`
      throw new FluxError(`attempt to call ${what}; expected function`)
    }
    const place = locationText(this.#node.callee.location)
    throw new FluxError(`cannot call function: ${place}: value is of type ${type}`)
  }

  /** Calls in row functions, and those of the library's own text, are not told. */
  #explained(error: unknown, { run }: Frame): unknown {
    const site = this.#site
    if (site === undefined || run.isStreaming) return error
    if (!(error instanceof UserError) || error instanceof LimitError) return error
    const where = `error calling function "${site.functionName}" @${locationText(site)}`
    return new LocatedError(`${where}: ${error.message}`, error.code, error.status)
  }
}
