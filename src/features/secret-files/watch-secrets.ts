import type { HashEntryPoint } from '../../entry-points/entry-point.ts'
import { type WatchedFiles, watchFiles } from '../../files/watched-files.ts'
import { type HashSecrets, startSecretsOf } from '../../login/answer/hash-answer.ts'
import { Secret } from '../../settings/secret.ts'

/** Called with the name of the entry point. */
export interface SecretEvents {
  readonly onChange: (entryPoint: string) => void
  /** Called once for each fault of a file. The app keeps the secrets that it has. */
  readonly onFault: (entryPoint: string, fault: string) => void
}

/** A change of a file reaches every copy of the app within two of these times. */
export const SECRETS_READ_EVERY_MS = 250

/** Watches the files of the secrets, so that a new secret needs no restart. Entry points without files keep their secrets. */
export function watchHashSecrets(events: SecretEvents) {
  const watched = new Map<string, WatchedFiles>()
  /** Ends the watch of all other entry points. */
  function keepOnly(names: readonly string[]): void {
    for (const [name, files] of watched) {
      if (names.includes(name)) continue
      files.close()
      watched.delete(name)
    }
  }
  return {
    /** Watches the files of an entry point. Returns a function for its secrets as they are now. */
    secretsOf(entryPoint: HashEntryPoint): () => HashSecrets {
      const { name, secretFiles } = entryPoint
      watched.get(name)?.close()
      watched.delete(name)
      if (!secretFiles) return () => startSecretsOf(entryPoint)
      const files = watchFiles([secretFiles.secret, secretFiles.previous], startSecretsOf(entryPoint), {
        everyMs: SECRETS_READ_EVERY_MS,
        parse: ([secret, previous]) => parseSecrets(textOf(secret), textOf(previous)),
        onChange: () => events.onChange(name),
        onFault: (fault) => events.onFault(name, `a file ${fault}`),
      })
      watched.set(name, files)
      return files.current
    },
    keepOnly,
    stop: () => keepOnly([]),
  }
}

function textOf(content: Buffer | undefined): string {
  return (content ?? '').toString().trim()
}

function parseSecrets(current: string, previous: string): HashSecrets {
  const parsed = [Secret.safeParse(current), Secret.safeParse(previous === '' ? current : previous)]
  const fault = parsed.find(({ success }) => !success)?.error?.issues[0]?.message
  if (fault !== undefined) throw new Error(`holds a secret that ${fault}`)
  return { current, previous: previous === '' || previous === current ? null : previous }
}
