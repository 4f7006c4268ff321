// A question's whole answer as a file, made by the service: the page itself stops reading at its limits, and a
// file should not.

import { apiUrl } from '../api/http.js'
import { boundText, type Question } from '../query/language.js'
import { requestOfTexts } from '../query/request.js'

export type FileKind = 'csv' | 'parquet'

const types: Readonly<Record<FileKind, string>> = {
  csv: 'application/csv',
  parquet: 'application/vnd.apache.parquet',
}

export async function answerFile(question: Question, format: FileKind): Promise<Blob> {
  const { language, bucketId: db } = question
  const headers = { 'content-type': 'application/json', accept: types[format] }
  const asked =
    language === 'flux'
      ? requestOfTexts(question)
      : {
          url: apiUrl(`api/v3/query_${language}`),
          body: JSON.stringify({ db, q: boundText(question), format }),
        }
  const response = await fetch(asked.url, { method: 'POST', headers, body: asked.body })
  if (response.ok) return response.blob()
  const { error, message } = (await response.json()) as { error?: string; message?: string }
  throw new Error(message ?? error)
}
