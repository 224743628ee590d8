import { readFileSync } from 'node:fs'

/** Returns a warning if this process may open few files; null if it may open enough, or the system does not say. */
export function fileLimitWarning(limitsFile = '/proc/self/limits'): string | null {
  try {
    const [, limit = ''] = /^Max open files +(\d+)/m.exec(readFileSync(limitsFile, 'utf8')) ?? []
    if (limit === '' || Number(limit) >= 1024) return null
    return `This process may open ${limit} files and connections only. Raise the limit (ulimit -n) to 1024 or more.`
  } catch {
    return null
  }
}
