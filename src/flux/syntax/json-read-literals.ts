// Literals, places and comments out of a client's JSON. A literal must be one that Flux text could hold,
// and a comment must be one, or it would be printed as code.

import type { Comment, DurationPart, Expression, Position, SourceLocation } from './ast.js'
import type { JsonCursor } from './json-cursor.js'
import { readTime } from './literal-text.js'
import type { Base } from './token-stream.js'

const nowhere: SourceLocation = { start: { line: 0, column: 0 }, end: { line: 0, column: 0 } }

export function readBase(at: JsonCursor): Base {
  const place = at.field('location')
  const location = place === null ? nowhere : readLocation(place)
  const comments = at.list('comments', readComment)
  return comments.length === 0 ? { location } : { location, comments }
}

/** A comment that is none would be printed as code. */
function readComment(at: JsonCursor): Comment {
  const text = at.need('text').text()
  return /^\/\/[^\n]*\n?$/.test(text) ? { text } : at.fail('expected a comment')
}

function readLocation(at: JsonCursor): SourceLocation {
  const file = at.field('file')?.text()
  const source = at.field('source')?.text()
  return {
    ...(file === undefined ? {} : { file }),
    start: readPosition(at.need('start')),
    end: readPosition(at.need('end')),
    ...(source === undefined ? {} : { source }),
  }
}

function readPosition(at: JsonCursor): Position {
  return { line: at.need('line').integer(), column: at.need('column').integer() }
}

export function readLiteral(at: JsonCursor, type: string): Expression {
  const base = readBase(at)
  switch (type) {
    case 'StringLiteral':
    case 'RegexpLiteral':
    case 'LabelLiteral':
      return { type, ...base, value: at.need('value').text() }
    case 'BooleanLiteral':
      return { type, ...base, value: at.need('value').boolean() }
    case 'FloatLiteral':
      return { type, ...base, value: at.need('value').number() }
    case 'IntegerLiteral':
      return { type, ...base, value: readDigits(at.need('value'), -(2n ** 63n), 2n ** 63n - 1n) }
    case 'UnsignedIntegerLiteral':
      return { type, ...base, value: readDigits(at.need('value'), 0n, 2n ** 64n - 1n) }
    case 'DurationLiteral':
      return { type, ...base, values: at.list('values', readDurationPart) }
    case 'DateTimeLiteral': {
      const value = readTime(at.need('value').text())
      return value === null ? at.fail('expected a time') : { type, ...base, value }
    }
    case 'PipeLiteral':
      return { type, ...base }
    default:
      return at.fail(`"${type}" is no expression that can run`)
  }
}

function readDigits(at: JsonCursor, min: bigint, max: bigint): string {
  const text = at.text()
  if (!/^-?\d{1,20}$/.test(text)) return at.fail('expected digits')
  const value = BigInt(text)
  return value >= min && value <= max ? String(value) : at.fail('value out of range')
}

const durationUnits = ['y', 'mo', 'w', 'd', 'h', 'm', 's', 'ms', 'us', 'ns'] as const

function readDurationPart(at: JsonCursor): DurationPart {
  const magnitude = BigInt(at.need('magnitude').integer())
  return { magnitude, unit: at.need('unit').oneOf(durationUnits) }
}
