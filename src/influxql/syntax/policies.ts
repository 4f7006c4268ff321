// Statements that make, change and drop databases and retention policies. FUTURE LIMIT and PAST LIMIT
// are newer than InfluxDB 1.6; the two words stay names everywhere else, as they were then.

import type { PolicyOptions, Position, Statement } from './ast.js'
import type { Token } from './token.js'
import type { TokenReader } from './token-reader.js'

type Options = { -readonly [Key in keyof PolicyOptions]: PolicyOptions[Key] }

export function parseCreateDatabase(reader: TokenReader, at: Position): Statement {
  const name = reader.name()
  if (!reader.accept('WITH')) return { kind: 'create-database', name, at }
  const first = reader.read()
  if (!isLimitWord(first) && !['DURATION', 'NAME', 'REPLICATION', 'SHARD'].includes(first.kind)) {
    throw reader.unexpected(first, 'DURATION', 'NAME', 'REPLICATION', 'SHARD')
  }
  reader.unread()
  const options: Options & { name?: string } = {}
  if (reader.accept('DURATION')) options.durationNs = reader.durationOrInf()
  if (reader.accept('REPLICATION')) options.replication = reader.count()
  if (reader.accept('SHARD')) {
    reader.expect('DURATION')
    options.shardDurationNs = reader.durationOrInf()
  }
  parseWriteLimits(reader, options)
  if (reader.accept('NAME')) options.name = reader.name()
  return { kind: 'create-database', name, policy: options, at }
}

export function parseDropDatabase(reader: TokenReader, at: Position): Statement {
  return { kind: 'drop-database', name: reader.name(), at }
}

export function parseCreateRetentionPolicy(reader: TokenReader, at: Position): Statement {
  const name = reader.name()
  reader.expect('ON')
  const database = reader.name()
  const options: Options = {}
  reader.expect('DURATION')
  options.durationNs = reader.durationOrInf()
  reader.expect('REPLICATION')
  options.replication = reader.count()
  if (reader.accept('SHARD')) options.shardDurationNs = parseShardDuration(reader)
  // The limits may stand on either side of DEFAULT.
  parseWriteLimits(reader, options)
  const isDefault = reader.accept('DEFAULT')
  parseWriteLimits(reader, options)
  return { kind: 'create-retention-policy', name, database, options, isDefault, at }
}

export function parseAlterRetentionPolicy(reader: TokenReader, at: Position): Statement {
  const token = reader.read()
  if (token.kind !== 'IDENT' && token.kind !== 'DEFAULT') {
    throw reader.unexpected(token, 'identifier')
  }
  const name = token.kind === 'IDENT' ? token.text : 'default'
  reader.expect('ON')
  const database = reader.name()
  const options: Options = {}
  const found = new Set<string>()
  for (;;) {
    const option = reader.read()
    const word = isLimitWord(option) ? option.text.toUpperCase() : option.kind
    if (found.has(word)) throw reader.failAt(`found duplicate ${word} option`, option)
    if (!parseOption(reader, word, options)) {
      if (found.size === 0) {
        throw reader.unexpected(option, 'DURATION', 'REPLICATION', 'SHARD', 'DEFAULT')
      }
      reader.unread()
      break
    }
    found.add(word)
  }
  const isDefault = found.has('DEFAULT')
  return { kind: 'alter-retention-policy', name, database, options, isDefault, at }
}

/** Reads what belongs to the option, unless it is none. */
function parseOption(reader: TokenReader, word: string, options: Options): boolean {
  switch (word) {
    case 'DURATION':
      options.durationNs = reader.durationOrInf()
      return true
    case 'REPLICATION':
      options.replication = reader.count()
      return true
    case 'SHARD':
      options.shardDurationNs = parseShardDuration(reader)
      return true
    case 'DEFAULT':
      return true
    case 'FUTURE':
      options.futureLimitNs = parseLimit(reader)
      return true
    case 'PAST':
      options.pastLimitNs = parseLimit(reader)
      return true
    default:
      return false
  }
}

export function parseDropRetentionPolicy(reader: TokenReader, at: Position): Statement {
  const name = reader.name()
  reader.expect('ON')
  return { kind: 'drop-retention-policy', name, database: reader.name(), at }
}

function parseShardDuration(reader: TokenReader): bigint {
  reader.expect('DURATION')
  const token = reader.read()
  if (token.kind === 'INF') throw reader.failAt('invalid duration INF for shard duration', token)
  reader.unread()
  return reader.durationOrInf()
}

function parseWriteLimits(reader: TokenReader, options: Options): void {
  if (reader.acceptWord('FUTURE')) options.futureLimitNs = parseLimit(reader)
  if (reader.acceptWord('PAST')) options.pastLimitNs = parseLimit(reader)
}

function isLimitWord({ kind, text }: Token): boolean {
  return kind === 'IDENT' && /^(future|past)$/i.test(text)
}

function parseLimit(reader: TokenReader): bigint {
  reader.expect('LIMIT')
  return reader.durationOrInf()
}
