// The memory of this process as the machine counts it, with everything that libraries take for themselves:
// passed in, so that tests can let it grow.

export interface ProcessMemory {
  /** What lies in memory now. Some microseconds. */
  residentBytes(): number
}

export const processMemory: ProcessMemory = {
  residentBytes: () => process.memoryUsage.rss(),
}
