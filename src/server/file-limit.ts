import { readFileSync } from 'node:fs'

/** Each connection of a browser, a store or a mail server takes a file descriptor. */
const FEWEST = 1024

/** Returns a warning if the process may open few files; null if it may open enough, or the system does not say. */
export function fileLimitWarning(limitsFile = '/proc/self/limits'): string | null {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync(limitsFile, 'utf8')) ?? []
    if (limit === undefined || Number(limit) >= FEWEST) return null
    return `This process may open ${limit} files and connections only. Raise the limit (ulimit -n) to ${FEWEST} or more.`
  } catch {
    return null
  }
}
