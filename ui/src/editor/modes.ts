// Colours for the three languages in the editor. SQL and InfluxQL by CodeMirror's SQL with our own words; Flux by a
// small tokenizer: words, strings, numbers with units, comments.

import { SQLDialect, sql } from '@codemirror/lang-sql'
import { type LanguageSupport, StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import type { Language } from '../query/language.js'

const influxqlWords =
  'select from where group by order limit offset slimit soffset fill none null previous linear and or as asc desc ' +
  'into show measurements measurement tag field series keys key values with databases retention ' +
  'policies on cardinality ' +
  'exact explain analyze create drop database policy duration replication shard default delete queries ' +
  'continuous query end begin every for resample kill user users grants tz time now true false'

const influxql = SQLDialect.define({
  keywords: influxqlWords,
  builtin:
    'mean max min sum count first last median mode spread stddev percentile top bottom derivative difference',
  operatorChars: '*+-%<>!=~/',
  doubleQuotedStrings: false,
  identifierQuotes: '"',
  specialVar: '$',
  backslashEscapes: true,
})

const oursSql = SQLDialect.define({
  keywords:
    'select from where group by order limit offset having distinct join left right inner outer full cross on ' +
    'using as with union all except intersect in is not null and or like ilike between case when ' +
    'then else end asc desc nulls ' +
    'first last explain analyze show tables columns interval timestamp true false over partition rows range lateral',
  types: 'bigint double varchar boolean timestamp interval integer',
  builtin:
    'avg max min sum count date_bin date_bin_gapfill locf interpolate now date_part date_trunc selector_first ' +
    'selector_last selector_min selector_max median stddev approx_percentile_cont coalesce abs round',
  operatorChars: '*+-%<>!=~/|',
  doubleQuotedStrings: false,
  identifierQuotes: '"',
  specialVar: '$',
})

const fluxWords = new Set(
  'import package option builtin and or not if then else return exists testcase with'.split(' '),
)

const flux: StreamParser<{ isComment: boolean }> = {
  name: 'flux',
  startState: () => ({ isComment: false }),
  token(stream) {
    if (stream.eatSpace()) return null
    if (stream.match('//')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return 'string'
    if (stream.match('|>') || stream.match('=>') || stream.match('<-')) return 'operator'
    if (stream.match(/\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?/)) return 'atom'
    if (stream.match(/\d+(\.\d+)?(ns|us|µs|ms|mo|[smhdwy])?/)) return 'number'
    if (stream.match(/[=!]~\s*\/(?:[^/\\]|\\.)*\//)) return 'regexp'
    const word = stream.match(/[A-Za-z_]\w*/) as RegExpMatchArray | null
    if (word === null) {
      stream.next()
      return null
    }
    if (fluxWords.has(word[0])) return 'keyword'
    if (stream.match(/\s*\(/, false)) return 'variableName.function'
    return stream.match(/\s*:/, false) ? 'propertyName' : 'variableName'
  },
  languageData: {
    commentTokens: { line: '//' },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
  },
}

export function modeOf(language: Language): Extension | LanguageSupport {
  if (language === 'flux') return StreamLanguage.define(flux)
  return sql({ dialect: language === 'sql' ? oursSql : influxql, upperCaseKeywords: true })
}
