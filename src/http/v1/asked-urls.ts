// What the URLs of queries ask for, read once: dashboards ask with the same URL again and again, and to take it
// apart costs more than to look it up. URLs that carry a name or a password are not for here.

import { parse } from 'fast-querystring'
import { KeptByText } from '../../query/kept-by-text.js'
import { urlParameters } from './query-parameters.js'
import { type QueryRequest, readQueryRequest } from './query-request.js'

const urlsMax = 512
/** Longer ones are read again: there is as much in them as in the query that follows. */
const urlCharactersMax = 4000

interface AskedUrl {
  readonly asked: QueryRequest
  /** The header that was read with it. */
  readonly accept: string | undefined
}

export class AskedUrls {
  readonly #read = new KeptByText<AskedUrl>(urlsMax, urlCharactersMax)

  /** Undefined: something is wrong with its parameters, or it needs more than a query and the header of a token. */
  read(url: string, accept: string | undefined): QueryRequest | undefined {
    const known = this.#read.get(url)
    if (known !== undefined && known.accept === accept) return known.asked
    const asked = readUrl(url, accept)
    if (asked !== undefined) this.#read.keep(url, { asked, accept })
    return asked
  }
}

function readUrl(url: string, accept: string | undefined): QueryRequest | undefined {
  const get = urlParameters({ query: parse(url.slice(url.indexOf('?') + 1)) })
  if (get('u') !== undefined || get('p') !== undefined) return undefined
  try {
    const asked = readQueryRequest(get, accept)
    return asked.isAsync ? undefined : asked
  } catch {
    return undefined
  }
}
