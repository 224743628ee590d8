import type { KeyObject } from 'node:crypto'

/** A private key of a feature at an entry point. */
interface NamedKey {
  /** The name of the setting in the environment. */
  readonly setting: string
  readonly entryPoint: string
  readonly key: KeyObject
  /** True if other entry points may have this key in the same setting. */
  readonly mayRepeat: boolean
}

const keysOf = new WeakMap<object, NamedKey[]>()

/**
 * Warns about a private key that has another purpose too. Remembers the key.
 * @param run the same object for all keys of one app.
 */
export function warningsOfSharedKey(run: object, named: NamedKey): string[] {
  const { setting, entryPoint, key, mayRepeat } = named
  const earlier = keysOf.get(run) ?? []
  keysOf.set(run, [...earlier, named])
  const other = earlier.find((one) => key.equals(one.key) && !(mayRepeat && one.setting === setting))
  if (other === undefined) return []
  return [
    `${other.setting} of entry point ${other.entryPoint} and ${setting} of entry point ${entryPoint} are the same key: ` +
      'what is signed for one is valid for the other. Use a key pair for each.',
  ]
}
