// Parts of the page whose code is loaded when they are shown first, and what stands in their place until then. Not by
// React's `lazy` and `Suspense`: these hold back what has come until 300 ms after the last stand-in was drawn, with the
// thread idle, so that the first chart or page of a visit came that much later than it could.

import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from 'react'

export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): (props: Props) => ReactNode {
  const code = new Code(load)
  return (props) => <Later code={code} props={props} meanwhile={meanwhile} />
}

class Code<Props> {
  component: ComponentType<Props> | undefined
  #coming: Promise<void> | undefined
  readonly #load: () => Promise<ComponentType<Props>>

  constructor(load: () => Promise<ComponentType<Props>>) {
    this.#load = load
  }

  /** What has failed is tried again by whoever shows it next. */
  come(): Promise<void> {
    this.#coming ??= this.#take().finally(() => {
      this.#coming = undefined
    })
    return this.#coming
  }

  async #take(): Promise<void> {
    this.component = await this.#load()
  }
}

interface LaterProps<Props> {
  readonly code: Code<Props>
  readonly props: Props
  readonly meanwhile: ReactNode
}

function Later<Props extends object>({ code, props, meanwhile }: LaterProps<Props>) {
  const [, drawAgain] = useReducer((count: number) => count + 1, 0)
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  useEffect(() => {
    if (code.component !== undefined) return
    let isShown = true
    code.come().then(
      () => isShown && drawAgain(),
      (error) => isShown && setFailure({ error }),
    )
    return () => {
      isShown = false
    }
  }, [code])
  // The boundary around the page tells it.
  if (failure !== undefined) throw failure.error
  const { component: Component } = code
  return Component === undefined ? meanwhile : <Component {...props} />
}
