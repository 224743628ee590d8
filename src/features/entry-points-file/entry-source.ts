import type { z } from 'zod'
import { sentenceOf } from '../../settings/fields.ts'
import { readNamedFile } from '../../settings/named-file.ts'
import {
  environmentName,
  metaOf,
  missingMessage,
  type SettingSource,
  type Settings,
  settingSource,
} from '../../settings/setting.ts'
import { similarField } from '../../settings/unknown-settings.ts'

export type Entry = Readonly<Record<string, unknown>>

const ITEM = /^[^\s,]+$/

/** Reads an entry of the file as if its fields were settings of the environment. */
export function entrySource(entry: Entry, all: Settings, report: (mistake: string) => void): SettingSource {
  reportUnknown(entry, all, report)
  const refuse = (name: string, message: string) => report(sentenceOf([name], message))
  const isInFile = (name: string) => metaOf(all[name]).isSecret === true && entry[`${name}File`] !== undefined
  const nameOf = (name: string) => (isInFile(name) && entry[name] === undefined ? `${name}File` : name)
  const wrong = new Set<string>()
  const given: Record<string, string | undefined> = {}
  for (const [name, schema] of Object.entries(all)) {
    const own = environmentName(name, schema)
    const path = isInFile(name) ? entry[`${name}File`] : undefined
    const { text, faults = [] } = isInFile(name) ? contentIn(entry, name, schema) : textIn(entry[name], schema)
    for (const fault of faults) refuse(entry[name] === undefined ? nameOf(name) : name, fault)
    if (faults.length > 0) wrong.add(name)
    given[own] = faults.length > 0 ? '' : text
    if (typeof path === 'string') given[`${own}_FILE`] = path
  }
  return settingSource(all, refuse, {
    given,
    nameOf,
    refuseValue(name, message) {
      if (wrong.has(name)) return
      const isMissing = metaOf(all[name]).isSecret && entry[name] === undefined
      if (isInFile(name)) refuse(nameOf(name), `names a file whose content ${message}`)
      else refuse(name, isMissing ? orInFile(name) : message)
    },
    isStrict: true,
    warn: (sentence) => report(`${sentence}; remove them`),
  })
}

/** The text that the environment would have, or the faults in the form of a field. */
interface Text {
  readonly text?: string | undefined
  readonly faults?: readonly string[]
}

function textIn(value: unknown, schema: z.ZodType): Text {
  const { isSecret, inFile, item = ITEM } = metaOf(schema)
  if (value === undefined) return {}
  if (inFile === 'number') return { text: typeof value === 'number' ? String(value) : '' }
  if (inFile === 'list') {
    if (!Array.isArray(value)) return { faults: [missingMessage(schema) ?? 'must be an array of texts'] }
    const faults = value.flatMap((one, index) => {
      const fault = typeof one !== 'string' ? 'must be text' : 'must be one item, not empty and without a comma'
      return typeof one === 'string' && item.test(one) ? [] : [`: item ${index + 1} ${fault}`]
    })
    return faults.length > 0 ? { faults } : { text: value.map((one) => one.replaceAll(',', '\\,')).join(',') }
  }
  if (typeof value === 'string') return { text: value }
  if (inFile === 'object' && /^\{/.test(JSON.stringify(value))) return { text: JSON.stringify(value) }
  const message = isSecret ? undefined : schema.safeParse(value).error?.issues[0]?.message
  return { faults: [message ?? 'must be text'] }
}

/** Reads the file of a secret. */
function contentIn(entry: Entry, name: string, schema: z.ZodType): Text {
  const path = entry[`${name}File`]
  if (entry[name] !== undefined) {
    const isRequired = missingMessage(schema) !== null
    return { faults: [isRequired ? orInFile(name) : `and ${name}File are both set: remove one`] }
  }
  const read = typeof path === 'string' ? readNamedFile(path) : { fault: 'must be the path of a file' }
  if ('fault' in read) return { faults: [read.fault] }
  const text = read.text.trim()
  // As in the environment: an empty file of a previous secret stands for none.
  return { text: text === '' && name.endsWith('Previous') ? undefined : text }
}

function orInFile(name: string): string {
  return `or ${name}File is required, and not both`
}

function reportUnknown(entry: Entry, all: Settings, report: (mistake: string) => void): void {
  const ofSettings = Object.entries(all).flatMap(([name, schema]) =>
    metaOf(schema).isSecret ? [name, `${name}File`] : [name],
  )
  const known = ['name', ...ofSettings]
  const unknown = Object.keys(entry).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const named = unknown.map((name) => {
    const meant = similarField(name, known)
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`
  })
  report(`has unknown fields: ${named.join(', ')}; src/features/entry-points-file/README.md lists all fields`)
}
