// What tests use of job-thread.mjs.

export function buildJobThread(folder: string): Promise<void>
