// The request that a question becomes: which endpoint of the service, which body, and in which form the answer comes.
// Flux and InfluxQL go to v2, SQL to v3.

import { apiUrl } from '../api/http.js'
import { isCluster } from '../api/variant.js'
import { boundText, externOf, type Question } from './language.js'
import type { AskedForm, WorkerRequest } from './worker-messages.js'

export type RequestParts = Pick<WorkerRequest, 'url' | 'headers' | 'body' | 'form' | 'otherwise'>

const json = { 'content-type': 'application/json' }
const arrowType = 'application/vnd.apache.arrow.stream'

/** As Arrow where that can be: numbers are then not spelt. */
export function requestOf(question: Question): RequestParts {
  const { language, bucketId: bucket } = question
  const text = requestOfTexts(question)
  switch (language) {
    case 'flux':
      return {
        ...text,
        headers: { ...json, accept: `${arrowType}; shapes=many` },
        form: 'flux-arrow',
        otherwise: text,
      }
    case 'influxql':
      // Other statements are answered with lists of texts, and several statements with several lists.
      if (!isCluster() && !isOneSelect(boundText(question))) return text
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
export function requestOfTexts(question: Question): AskedForm {
  const { language, orgId: orgID, bucketId: bucket } = question
  if (language === 'flux') {
    return {
      url: apiUrl('api/v2/query', { orgID }),
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
  if (language === 'influxql' && !isCluster()) {
    return {
      url: apiUrl('api/v2/query', { orgID, chunked: true }),
      headers: { ...json, accept: 'application/json' },
      body: JSON.stringify({ type: 'influxql', bucket, query: boundText(question) }),
      form: 'v1',
    }
  }
  return {
    url: apiUrl(language === 'sql' ? 'api/v3/query_sql' : 'api/v3/query_influxql'),
    headers: { ...json, accept: 'application/jsonl' },
    body: JSON.stringify({ db: bucket, format: 'jsonl', q: boundText(question) }),
    form: 'jsonl',
  }
}

function arrowRequest(
  path: string,
  db: string | undefined,
  q: string,
  otherwise: AskedForm,
): RequestParts {
  return {
    url: apiUrl(path),
    headers: { ...json, accept: arrowType },
    body: JSON.stringify({ db, format: 'arrow', q }),
    form: 'arrow',
    otherwise,
  }
}
