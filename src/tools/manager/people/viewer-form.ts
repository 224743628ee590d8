import { createHash } from 'node:crypto'
import type { ZonedTime } from '../../../settings/times.ts'
import { cleanText } from '../../../typed-text.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { faultInViewer } from '../../../users/viewer-fields.ts'
import { partWithFault } from '../../cli/import/import-viewers.ts'
import type { Visit } from '../door/route.ts'
import { readEnd, type Typed } from '../pages/typed-times.ts'

/** Attributes of a form: `name=value` in lines, as people type them. */
function attributesOf(text: string): Record<string, string> | null {
  const attributes: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(line) ?? []
    if (name.trim() === '' || Object.hasOwn(attributes, name.trim())) return null
    attributes[name.trim()] = value.trim()
  }
  return attributes
}

/** Returns attributes as lines. @param without the attribute that has a field of its own. */
export function attributeLines(attributes: Viewer['attributes'], without: string): string {
  const own = Object.entries(attributes).filter(([name]) => name !== without)
  return own.map(([name, value]) => `${name}=${value}`).join('\n')
}

function groupsOf({ field }: Pick<Visit, 'field'>): string[] {
  const groups = field('groups').split(/[,;\n]/)
  return groups.map(cleanText).filter((group) => group !== '')
}

/** Changes with the viewer. A form has the version that it shows, so that two managers do not overwrite each other. */
export function versionOf({ username, groups, attributes }: Viewer): string {
  const sorted = Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([username, groups, sorted]))
    .digest('base64url')
    .slice(0, 22)
}

/** The fields of an account as typed, or the sentence that says why they are refused. */
type TypedAccount =
  | { readonly ok: true; readonly groups: string[]; readonly attributes: Record<string, string>; readonly end: End }
  | Extract<Typed<never>, { ok: false }>
type End = ZonedTime | null

/**
 * Reads the groups, attributes and end of an account.
 * @param username the cleaned user name. @param before the groups that the viewer has so far.
 */
export function typedAccount(visit: Visit, username: string, before: readonly string[] = []): TypedAccount {
  const { field, words, scope } = visit
  const groups = groupsOf(visit)
  const attributes = attributesOf(field('attributes'))
  if (attributes === null) return { ok: false, fault: { text: 'people.badAttributes' } }
  const end = readEnd(cleanText(field('until')) || 'never', words)
  if (!end.ok) return end
  const faulty = { username, groups, attributes }
  if (faultInViewer(faulty) !== null) return { ok: false, fault: { text: `sheet.faults.${partWithFault(faulty)}` } }
  if (scope.mayGive(groups, before)) return { ok: true, groups, attributes, end: end.value }
  return { ok: false, fault: { text: 'people.groupsRefused', values: { groups: (scope.groups ?? []).join(', ') } } }
}
