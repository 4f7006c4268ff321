// The request that a question becomes: which endpoint of the service, which body, and in which form the answer comes.
// Flux and InfluxQL go to v2, SQL to v3.

import { apiUrl } from '../api/http.js'
import { isCluster } from '../api/variant.js'
import { boundText, externOf, type Question } from './language.js'
import type { WorkerRequest } from './worker-messages.js'

export type RequestParts = Pick<WorkerRequest, 'url' | 'headers' | 'body' | 'form'>

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
        return {
          url: apiUrl('api/v3/query_influxql'),
          headers: { ...json, accept: 'application/jsonl' },
          body: JSON.stringify({ db: bucket, format: 'jsonl', q: boundText(question) }),
          form: 'jsonl',
        }
      }
      return {
        url: apiUrl('api/v2/query', { orgID }),
        headers: { ...json, accept: 'application/json' },
        body: JSON.stringify({ type: 'influxql', bucket, query: boundText(question) }),
        form: 'v1',
      }
    case 'sql':
      return {
        url: apiUrl('api/v3/query_sql'),
        headers: { ...json, accept: 'application/jsonl' },
        body: JSON.stringify({ db: bucket, format: 'jsonl', q: boundText(question) }),
        form: 'jsonl',
      }
  }
}
