import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    // Two workers: the machines this runs on have two cores, and the crash tests start processes.
    maxWorkers: 2,
  },
})
