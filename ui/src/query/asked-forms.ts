// What a question asks of the service: which endpoint, which body, in which form the answer comes, and which other form
// it is asked for in where that one cannot be had. Flux goes to v2, SQL to v3, InfluxQL to either. Pure: addresses are
// paths below the service's own.

import { boundText, externOf, type Question } from './language.js'
import type { AnswerForm } from './worker-messages.js'

export interface Asked {
  readonly path: string
  readonly parameters?: Readonly<Record<string, string | boolean>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly form: AnswerForm
}

export interface AskedTwice extends Asked {
  readonly otherwise?: Asked
}

const json = { 'content-type': 'application/json' }
const arrowType = 'application/vnd.apache.arrow.stream'

/** As Arrow where that can be: numbers are then not spelt. */
export function askedAs(question: Question, isCluster: boolean): AskedTwice {
  const { language, bucketId: bucket } = question
  const text = askedAsText(question, isCluster)
  switch (language) {
    case 'flux':
      return {
        ...text,
        headers: { ...json, accept: `${arrowType}; shapes=many; runs=encoded` },
        form: 'flux-arrow',
        otherwise: text,
      }
    case 'influxql':
      // Other statements are answered with lists of texts, and several statements with several lists.
      if (!isCluster && !isOneSelect(boundText(question))) return text
      return arrowRequest('api/v3/query_influxql', bucket, boundText(question), text)
    case 'sql':
      return arrowRequest('api/v3/query_sql', bucket, boundText(question), text)
  }
}

/** A semicolon or INTO within quotes only means that it is asked the other way. */
function isOneSelect(text: string): boolean {
  return /^\s*SELECT\b/i.test(text) && !/;\s*\S|\bINTO\b/i.test(text)
}

/** The same answer as text: annotated CSV of Flux, JSON of the others. */
export function askedAsText(question: Question, isCluster: boolean): Asked {
  const { language, orgId: orgID, bucketId: bucket } = question
  if (language === 'flux') {
    return {
      path: 'api/v2/query',
      parameters: { orgID },
      headers: { ...json, accept: 'application/csv' },
      body: JSON.stringify({
        query: question.text,
        type: 'flux',
        dialect: {
          annotations: ['group', 'datatype', 'default'],
          dateTimeFormat: 'RFC3339Nano',
        },
        extern: externOf(question),
      }),
      form: 'annotated-csv',
    }
  }
  if (language === 'influxql' && !isCluster) {
    return {
      path: 'api/v2/query',
      parameters: { orgID, chunked: true },
      headers: { ...json, accept: 'application/json' },
      body: JSON.stringify({ type: 'influxql', bucket, query: boundText(question) }),
      form: 'v1',
    }
  }
  return {
    path: language === 'sql' ? 'api/v3/query_sql' : 'api/v3/query_influxql',
    headers: { ...json, accept: 'application/jsonl' },
    body: JSON.stringify({ db: bucket, format: 'jsonl', q: boundText(question) }),
    form: 'jsonl',
  }
}

function arrowRequest(
  path: string,
  db: string | undefined,
  q: string,
  otherwise: Asked,
): AskedTwice {
  return {
    path,
    headers: { ...json, accept: arrowType },
    body: JSON.stringify({ db, format: 'arrow', q }),
    form: 'arrow',
    otherwise,
  }
}
