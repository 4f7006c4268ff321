// The request that a question becomes: which endpoint of the service, which body, and in which form the answer comes.
// Flux and InfluxQL go to v2, SQL to v3.

import { apiUrl } from '../api/http.js'
import { isCluster } from '../api/variant.js'
import { boundText, externOf, type Question } from './language.js'
import type { WorkerRequest } from './worker-messages.js'

export type RequestParts = Pick<WorkerRequest, 'url' | 'headers' | 'body' | 'form' | 'otherwise'>

const json = { 'content-type': 'application/json' }

export function requestOf(question: Question): RequestParts {
  const { language, orgId: orgID, bucketId: bucket } = question
  switch (language) {
    case 'flux':
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
    case 'influxql':
      if (isCluster()) {
        return tableRequest('api/v3/query_influxql', bucket, boundText(question))
      }
      return {
        url: apiUrl('api/v2/query', { orgID, chunked: true }),
        headers: { ...json, accept: 'application/json' },
        body: JSON.stringify({ type: 'influxql', bucket, query: boundText(question) }),
        form: 'v1',
      }
    case 'sql':
      return tableRequest('api/v3/query_sql', bucket, boundText(question))
  }
}

/** One table of rows: as Arrow, and as JSON where it has lists and the like. */
function tableRequest(path: string, db: string | undefined, q: string): RequestParts {
  const jsonl = {
    headers: { ...json, accept: 'application/jsonl' },
    body: JSON.stringify({ db, format: 'jsonl', q }),
    form: 'jsonl' as const,
  }
  return {
    url: apiUrl(path),
    headers: { ...json, accept: 'application/vnd.apache.arrow.stream' },
    body: JSON.stringify({ db, format: 'arrow', q }),
    form: 'arrow',
    otherwise: jsonl,
  }
}
