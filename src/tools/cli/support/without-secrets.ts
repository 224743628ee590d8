import { appSettings, entryPointEnvironment, entryPointSources } from '../../../config.ts'
import { orUndefined } from '../../../errors.ts'
import type { Environment } from '../../../settings/fields.ts'
import { readNamedFile } from '../../../settings/named-file.ts'
import { metaOf } from '../../../settings/setting.ts'

const REMOVED = '[removed]'
/** A shorter text is too common to search for. The sections do not print the values of secrets anyway. */
const SHORTEST_SECRET = 4
/** Names of settings that hold secrets, such as those of the command line and of other programs. */
const SECRET_NAME = /SECRET|PASSWORD|TOKEN|KEY|CREDENTIAL/
/** Texts that are or hold a credential, whatever their name. */
const CREDENTIALS: readonly [RegExp, string][] = [
  [/-----BEGIN [\s\S]*?(?:-----END [^-]*-----|$)/g, REMOVED],
  [/\beyJ[\w-]*\.[\w-]+(?:\.[\w-]*)*/g, REMOVED],
  [/([?&#](?:hash|vt|ref|code|state|[a-z_]*token|password|secret)=)[^&\s"']+/gi, `$1${REMOVED}`],
  [/\[\{"[\s\S]*?"hash"[\s\S]*?\}\]/g, REMOVED],
  [/(\/\/)[^/@\s"']+@/g, `$1${REMOVED}@`],
  [/\b(Basic|Bearer|MAC) +\S+/gi, `$1 ${REMOVED}`],
  [/\b[0-9a-f]{32,}\b/gi, REMOVED],
  // Other texts that could open something, or name a person.
  [/(\bhttps?:\/\/[^\s?#"'<>]+)[?#][^\s"'<>]+/gi, `$1?${REMOVED}`],
  [/[^\s"'<>()[\],;:=@/]+@[^\s"'<>()[\],;:@/]+\.[\p{L}\p{N}-]+/gu, REMOVED],
]

/** Returns a function that removes the secrets of these settings, and everything that looks like a credential. */
export function secretRemover(env: Environment): (data: unknown) => unknown {
  // The longest first: a secret may be a part of another.
  const secrets = secretsIn(env).toSorted((one, other) => other.length - one.length)
  const clean = (text: string) => {
    const known = secrets.reduce((left, secret) => left.replaceAll(secret, REMOVED), text)
    return CREDENTIALS.reduce((left, [pattern, shown]) => left.replace(pattern, shown), known)
  }
  const remove = (data: unknown): unknown => {
    if (typeof data === 'string') return clean(data)
    if (Array.isArray(data)) return data.map(remove)
    if (typeof data !== 'object' || data === null) return data
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [clean(name), remove(value)]))
  }
  return remove
}

/** Returns the secrets of the app, its entry points and the command line, also those in files. */
function secretsIn(env: Environment): string[] {
  // Without those of entry points that cannot be read.
  const sources = orUndefined(() => entryPointSources(env).sources.map(({ source }) => source.given)) ?? []
  const all = [env, ...sources].flatMap((given) => Object.entries(given))
  const forms = all.flatMap(([name, value]) => (value ? formsOf(name, value) : []))
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_SECRET)
}

/** Returns the texts in which a setting may give away its secret. Empty for a setting that is not a secret. */
function formsOf(name: string, value: string): string[] {
  const settings = { ...appSettings(), ...entryPointEnvironment() }
  const ofFile = name.endsWith('_FILE') ? metaOf(settings[name.slice(0, -'_FILE'.length)]) : null
  const { isSecret, isAddress } = ofFile ?? metaOf(settings[name])
  if (!isSecret && (name in settings || !SECRET_NAME.test(name))) return []
  const read = name.endsWith('_FILE') ? readNamedFile(value) : { text: value }
  const text = 'text' in read ? read.text.trim() : ''
  const { password = '' } = URL.canParse(text) ? new URL(text) : {}
  const decoded = orUndefined(() => decodeURIComponent(password)) ?? password
  const inside = [password, decoded, ...text.split('\n')]
  // The scheme and host of an address without a password may be shown.
  const secrets = isAddress ? (password === '' ? [] : [text, ...inside.slice(0, 2)]) : [text, ...inside]
  return secrets.flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
}
