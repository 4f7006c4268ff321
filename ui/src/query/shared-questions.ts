// Equal questions of a page are asked once: who asks later gets the same answer. A question is stopped when nobody
// waits for it any more; answers are forgotten when the page asks anew.

import type { Question } from './language.js'
import type { Result } from './result.js'
import { runQuestion } from './run.js'

interface Asked {
  readonly answer: Promise<Result>
  readonly controller: AbortController
  waiting: number
  isDone: boolean
}

export class SharedQuestions {
  readonly #asked = new Map<string, Asked>()

  get runningCount(): number {
    return [...this.#asked.values()].filter(({ isDone }) => !isDone).length
  }

  ask(question: Question, signal: AbortSignal): Promise<Result> {
    const key = JSON.stringify(question)
    let asked = this.#asked.get(key)
    if (asked === undefined) {
      asked = this.#start(question, key)
      this.#asked.set(key, asked)
    }
    return this.#wait(asked, key, signal)
  }

  /** Answers that are there are asked for again the next time. */
  forget(): void {
    for (const [key, { isDone }] of this.#asked) if (isDone) this.#asked.delete(key)
  }

  #start(question: Question, key: string): Asked {
    const controller = new AbortController()
    const answer = runQuestion(question, controller.signal)
    const asked: Asked = { answer, controller, waiting: 0, isDone: false }
    answer.then(
      () => {
        asked.isDone = true
      },
      () => {
        asked.isDone = true
        // A failure is no answer: the next who asks tries again.
        if (this.#asked.get(key) === asked) this.#asked.delete(key)
      },
    )
    return asked
  }

  #wait(asked: Asked, key: string, signal: AbortSignal): Promise<Result> {
    asked.waiting++
    return new Promise((resolve, reject) => {
      const leave = () => {
        asked.waiting--
        if (asked.waiting === 0 && !asked.isDone) {
          if (this.#asked.get(key) === asked) this.#asked.delete(key)
          asked.controller.abort()
        }
        reject(signal.reason)
      }
      if (signal.aborted) {
        leave()
        return
      }
      signal.addEventListener('abort', leave, { once: true })
      const end = () => {
        asked.waiting--
        signal.removeEventListener('abort', leave)
      }
      asked.answer.then(
        (result) => {
          end()
          resolve(result)
        },
        (error: unknown) => {
          end()
          reject(error)
        },
      )
    })
  }
}
