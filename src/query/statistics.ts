// Figures of the running service by module, under the names that InfluxDB 1 has for them: what SHOW STATS and
// `/debug/vars` tell. Parts of the program add what they count; nobody else knows which parts there are.

export interface StatisticsModule {
  readonly name: string
  readonly tags: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, number>>
}

export type StatisticsSource = () => Promise<readonly StatisticsModule[]>

export class Statistics {
  readonly #sources: StatisticsSource[] = []

  add(source: StatisticsSource): void {
    this.#sources.push(source)
  }

  /** In the order in which their sources were added. */
  async modules(): Promise<readonly StatisticsModule[]> {
    const lists = await Promise.all(this.#sources.map((source) => source()))
    return lists.flat()
  }
}
