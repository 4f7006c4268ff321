// The request that a question becomes: `asked-forms.ts` says what is asked, and here are the addresses of this page's
// own service.

import { apiUrl } from '../api/http.js'
import { isCluster } from '../api/variant.js'
import { type Asked, askedAs, askedAsText } from './asked-forms.js'
import type { Question } from './language.js'
import type { AskedForm, WorkerRequest } from './worker-messages.js'

export type RequestParts = AskedForm & Pick<WorkerRequest, 'otherwise'>

export function requestOf(question: Question): RequestParts {
  const { otherwise, ...asked } = askedAs(question, isCluster())
  return { ...withUrl(asked), otherwise: otherwise && withUrl(otherwise) }
}

/** The same answer as text. */
export function requestOfTexts(question: Question): AskedForm {
  return withUrl(askedAsText(question, isCluster()))
}

function withUrl({ path, parameters, ...rest }: Asked): AskedForm {
  return { url: apiUrl(path, parameters), ...rest }
}
