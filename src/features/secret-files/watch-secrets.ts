import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HashEntryPoint, SecretFiles } from '../../entry-points/entry-point.ts'
import { type HashSecrets, startSecretsOf } from '../../login/answer/hash-answer.ts'
import { Secret } from '../../settings/secret.ts'

export interface WatchedSecrets {
  readonly secretsOf: (entryPoint: HashEntryPoint) => HashSecrets
  readonly stop: () => void
}

/** Called with the name of the entry point. */
export interface SecretEvents {
  readonly onChange: (entryPoint: string) => void
  /** Called once for each fault of a file. The app keeps the secrets that it has. */
  readonly onFault: (entryPoint: string, fault: string) => void
}

/** A change of a file reaches every copy of the app within this time. */
export const SECRETS_READ_EVERY_MS = 250

/**
 * Reads the files of the secrets every 250 ms, so that a new secret needs no restart. The reads are asynchronous: a file
 * system that hangs stops no request. Entry points without files keep their secrets.
 */
export function watchHashSecrets(entryPoints: readonly HashEntryPoint[], events: SecretEvents): WatchedSecrets {
  const stopped = new AbortController()
  const known = new Map(entryPoints.map((entryPoint) => [entryPoint.name, startSecretsOf(entryPoint)]))
  for (const { name, secretFiles } of entryPoints) {
    if (secretFiles) void watch(name, secretFiles)
  }

  async function watch(name: string, files: SecretFiles): Promise<void> {
    let lastFault: string | null = null
    while (await pause(stopped.signal)) {
      const read = await readBoth(files)
      if ('fault' in read) {
        if (read.fault !== lastFault) events.onFault(name, read.fault)
        lastFault = read.fault
        continue
      }
      const isKnown = isSame(read, known.get(name))
      // Unless two reads in a row agree, a file is being written.
      if (!isKnown && !isSame(read, await readBoth(files))) continue
      lastFault = null
      if (isKnown) continue
      known.set(name, read)
      events.onChange(name)
    }
  }
  return {
    secretsOf: (entryPoint) => known.get(entryPoint.name) ?? startSecretsOf(entryPoint),
    stop: () => stopped.abort(),
  }
}

/** Resolves with false if the watch was stopped. */
async function pause(signal: AbortSignal): Promise<boolean> {
  await sleep(SECRETS_READ_EVERY_MS, undefined, { ref: false, signal }).catch(() => {})
  return !signal.aborted
}

type Read = HashSecrets | { readonly fault: string }

async function readBoth(files: SecretFiles): Promise<Read> {
  try {
    const [current, previous] = await Promise.all([textOf(files.secret), textOf(files.previous)])
    const parsed = [Secret.safeParse(current), Secret.safeParse(previous === '' ? current : previous)]
    const fault = parsed.find(({ success }) => !success)?.error?.issues[0]?.message
    if (fault !== undefined) return { fault: `a file holds a secret that ${fault}` }
    return { current, previous: previous === '' || previous === current ? null : previous }
  } catch (error) {
    return { fault: `a file cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

async function textOf(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim()
}

function isSame(one: HashSecrets, other: Read | undefined): boolean {
  return other !== undefined && 'current' in other && one.current === other.current && one.previous === other.previous
}
