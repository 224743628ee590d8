import type { z } from 'zod'
import { appSettings, entryPointEnvironment } from '../../../config.ts'
import { metaOf } from '../../../settings/setting.ts'
import { checkSettings } from '../settings/config-command.ts'
import type { ShownSettings } from '../settings/config-tables.ts'
import { outcomeOf } from '../terminal/command.ts'
import type { BundleSection } from './section.ts'

/** Settings of the core whose texts name no person and open nothing. */
const SHOWN = ['HASH_PARAMETERS', 'HASH_CONSUMERS', 'HOST', 'PLAYER_RETURN_URL', 'TRUSTED_PROXIES']
/** States, numbers and origins of any setting. */
const PLAIN = /^(none|on|off|set(, in a file)?|RSA, \d+ bits|\d+|https?:\/\/[^/?#@,\s]+)$/

/** The settings as `config check` shows them. Of a text that may name a person or open something, shows that it is set. */
export const shownSettings: BundleSection = {
  field: 'settings',
  async collect(source) {
    const outcome = await outcomeOf(() => checkSettings(source))
    if (!outcome.ok) return { error: outcome.fault }
    const schemas = { ...appSettings(), ...entryPointEnvironment() }
    const withoutNames = (settings: ShownSettings = {}): ShownSettings =>
      Object.fromEntries(Object.entries(settings).map(([name, text]) => [name, shown(name, text, schemas[name])]))
    const { entryPoints = [], settings, ...others }: Partial<Checked> = outcome.data ?? {}
    return {
      entryPoints: entryPoints.map((one) => ({ ...one, settings: withoutNames(one.settings) })),
      settings: withoutNames(settings),
      ...others,
    }
  },
}

interface Checked {
  readonly entryPoints: readonly { readonly settings: ShownSettings }[]
  readonly settings: ShownSettings
}

function shown(name: string, text: string, schema: z.ZodType | undefined): string {
  const mayShow = SHOWN.includes(name) || name.endsWith('_FILE') || metaOf(schema).isAddress
  const isPlain = text.split(', ').every((item) => PLAIN.test(item) || wordsOf(schema).includes(item))
  return mayShow || isPlain ? text : 'set'
}

/** Returns the words of a setting that allows only some, such as `hash` and `token`. */
function wordsOf(schema: unknown): readonly unknown[] {
  const { def } = (schema ?? {}) as { readonly def?: Record<string, unknown> }
  if (def === undefined) return []
  const { entries, values = Object.values(entries ?? {}), options = [], innerType, in: from } = def
  return [...(values as unknown[]), ...[...(options as unknown[]), innerType, from].flatMap(wordsOf)]
}
