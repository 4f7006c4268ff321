// Requests to the service that this page came from: paths are relative to the page's base, the session is the cookie.
// Failures become `ApiError` with the service's words. A session that has ended holds its requests until somebody has
// signed in again, so that nothing typed is lost.

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** What else the service told, by name. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    requestId?: string,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.details = details
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface RequestOptions {
  readonly method?: string
  readonly query?: Query
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly body?: BodyInit
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Whether a refusal may mean that the session has ended. Default: yes. */
  readonly isSessionAsked?: boolean
}

export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(path.replace(/^\//, ''), document.baseURI)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  return url.href
}

export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const { isSessionAsked = true } = options
  for (;;) {
    const response = await send(path, options)
    if (response.ok) return response
    const error = await errorOf(response)
    if (response.status !== 401 || !isSessionAsked || !(await isSignedOut())) throw error
    await session.renewed()
  }
}

export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await (await request(path, options)).json()) as T
}

async function send(path: string, options: RequestOptions): Promise<Response> {
  const {
    method,
    query,
    json,
    signal,
    body = json === undefined ? undefined : asJson(json),
  } = options
  const type: Record<string, string> =
    json === undefined ? {} : { 'content-type': 'application/json' }
  try {
    const response = await fetch(apiUrl(path, query), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { accept: 'application/json', ...type, ...options.headers },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'same-origin',
    })
    reach.set(false)
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    reach.set(true)
    throw new ApiError(0, 'offline', 'The service cannot be reached.')
  }
}

function asJson(value: unknown): string {
  return JSON.stringify(value)
}

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const id = response.headers.get('x-request-id') ?? undefined
  const { code, message, details } = readError(text)
  const said = message ?? (text !== '' && text.length < 500 ? text : response.statusText)
  return new ApiError(response.status, code ?? `${response.status}`, said, id, details)
}

interface ErrorBody {
  readonly code?: string
  readonly message?: string
  readonly details?: Readonly<Record<string, unknown>>
}

export function readError(text: string): ErrorBody {
  try {
    const details = JSON.parse(text) as Record<string, unknown>
    const { code, message, error } = details
    const said = message ?? error
    return {
      details,
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof said === 'string' ? { message: said } : {}),
    }
  } catch {
    return {}
  }
}

/** 401 is said to strangers and to those who may not: only strangers are nobody. */
async function isSignedOut(): Promise<boolean> {
  const { status } = await send('api/v2/me', {})
  return status === 401
}

type Listener = () => void

/** Whether the last request got no answer at all. */
class Reach {
  #isLost = false
  readonly #listeners = new Set<Listener>()

  readonly subscribe = (listener: Listener): Listener => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly isLost = (): boolean => this.#isLost

  set(isLost: boolean): void {
    if (isLost === this.#isLost) return
    this.#isLost = isLost
    for (const listener of this.#listeners) listener()
  }
}

export const reach = new Reach()

/** Whether somebody has to sign in before requests go on. */
class Session {
  #isOver = false
  readonly #listeners = new Set<Listener>()
  readonly #waiting = new Set<Listener>()

  readonly subscribe = (listener: Listener): Listener => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly isOver = (): boolean => this.#isOver

  renewed(): Promise<void> {
    this.#set(true)
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  renew(): void {
    this.#set(false)
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }

  #set(isOver: boolean): void {
    this.#isOver = isOver
    for (const listener of this.#listeners) listener()
  }
}

export const session = new Session()
