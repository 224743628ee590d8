import { readFileSync } from 'node:fs'

/** Returns a warning if this process may open few files. Empty if it may open enough, or the system does not say. */
export function fileLimitWarnings(limitsFile = '/proc/self/limits'): string[] {
  try {
    const [, limit = ''] = /^Max open files +(\d+)/m.exec(readFileSync(limitsFile, 'utf8')) ?? []
    if (limit === '' || Number(limit) >= 1024) return []
    return [`This process may open only ${limit} files and connections. Raise the limit (ulimit -n) to 1024 or more.`]
  } catch {
    return []
  }
}
