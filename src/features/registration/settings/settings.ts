import { z } from 'zod'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { FeatureSettings, ReadContext } from '../../../entry-points/feature-settings.ts'
import { jsonIn } from '../../../json-text.ts'
import { parseMailPattern } from '../../../services/guests/mail-address.ts'
import { fail, OnOff } from '../../../settings/fields.ts'
import type { SettingValues } from '../../../settings/setting.ts'
import { parseTime, type ZonedTime } from '../../../settings/times.ts'
import { faultInGroup } from '../../../users/viewer-fields.ts'
import { Field, lengthOf } from './field.ts'

export const REGISTRATION = 'registration'
const MOST_FIELDS = 12
/** All answers travel in the form, whose body is limited. */
const MOST_CHARACTERS = 800
const MOST_DOMAINS = 100
const MOST_GUESTS = 1_000_000

/** How a registration becomes a guest who may watch. */
export type Approval =
  | { readonly kind: 'none' }
  | { readonly kind: 'by-hand' }
  /** Addresses of these domains need no approval, the others are approved by hand. */
  | { readonly kind: 'domains'; readonly domains: readonly string[] }

/** The registration of an entry point. */
export type RegistrationSettings = z.output<typeof Registration>

const A_TIME = 'must be a time with a zone, such as 2026-11-27T20:00+01:00'
const Time = z.string(A_TIME).transform((text, context) => parseTime(text) ?? fail(context, A_TIME))
const Domain = z.string('must be text').transform((text, context): string => {
  const pattern = parseMailPattern(`*@${text.replace(/^\*?@/, '')}`)
  return pattern !== null && 'domain' in pattern
    ? pattern.domain
    : fail(context, 'must be a domain, such as example.com')
})
const Group = z.string('must be text').superRefine((group, context) => {
  const fault = group === '' ? 'must not be empty' : faultInGroup(group)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
})
const WHOLE = `must be a whole number from 1 to ${MOST_GUESTS}`

const Content = z.strictObject({
  fields: z
    .array(Field, 'must be an array of fields')
    .max(MOST_FIELDS, `must have at most ${MOST_FIELDS} fields`)
    .default([]),
  approval: z.enum(['none', 'by-hand', 'domains'], 'must be none, by-hand or domains').default('none'),
  domains: z
    .array(Domain, 'must be an array of domains')
    .min(1, 'must name at least one domain')
    .max(MOST_DOMAINS, `must name at most ${MOST_DOMAINS} domains`)
    .optional(),
  group: Group.optional(),
  most: z.int(WHOLE).min(1, WHOLE).max(MOST_GUESTS, WHOLE).optional(),
  waitingList: z.string('must be on or off').pipe(OnOff).default(false),
  closesAt: Time.optional(),
  deletesAt: Time.optional(),
})

const NOT_JSON = 'must be a JSON object: src/features/registration/README.md has an example'

/** The JSON object of a registration. Each mistake is the end of a sentence, with the place in the object. */
const Registration = z.string('must be an object').transform((text, context) => {
  const given = jsonIn(text)
  if (given === undefined) return fail(context, NOT_JSON)
  const parsed = Content.safeParse(given)
  const mistakes = [
    ...(parsed.error?.issues ?? []).map(({ path, ...issue }) => `: ${placeOf(path)}${messageOf(issue)}`),
    ...faultsBetween(given),
  ]
  for (const message of mistakes) fail(context, message)
  if (!parsed.success || mistakes.length > 0) return z.NEVER
  const { approval, domains = [], waitingList, closesAt, deletesAt, group, most, fields } = parsed.data
  return {
    fields,
    approval: approval === 'domains' ? { kind: approval, domains } : { kind: approval },
    /** The group of all registered guests. Null for none. */
    group: group?.normalize('NFC') ?? null,
    /** The most guests who are approved, or wait for approval. Null for no limit. */
    most: most ?? null,
    hasWaitingList: waitingList,
    closesAt: closesAt ?? null,
    /** The time at which the registrations are deleted. Null: they stay. */
    deletesAt: deletesAt ?? null,
  }
})

/** Returns the faults between values, also if single values are wrong. */
function faultsBetween(given: unknown): string[] {
  const Loose = z.object({
    fields: z.array(z.unknown()).catch([]),
    approval: z.unknown(),
    domains: z.unknown(),
    most: z.unknown(),
    waitingList: z.unknown(),
    closesAt: z.unknown(),
    deletesAt: z.unknown(),
  })
  const { fields = [], ...loose } = Loose.partial().safeParse(given).data ?? {}
  const known = fields.flatMap((field) => Field.safeParse(field).data ?? [])
  const named = fields.flatMap(
    (field) => z.object({ name: z.string() }).safeParse(field).data?.name.normalize('NFC') ?? [],
  )
  const twice = new Set(named.filter((name, index) => named.indexOf(name) !== index))
  const length = known.reduce((sum, field) => sum + lengthOf(field), 0)
  const [closes, deletes] = [loose.closesAt, loose.deletesAt].map((time) => parseTime(String(time)))
  return [
    ...[...twice].map((name) => `: two fields have the name ${JSON.stringify(name)}`),
    ...(length > MOST_CHARACTERS
      ? [`: the answers may have ${length} characters, and ${MOST_CHARACTERS} at most`]
      : []),
    ...(loose.approval === 'domains' && loose.domains === undefined ? [': approval by domains needs domains'] : []),
    ...(loose.approval !== 'domains' && loose.domains !== undefined ? [': domains needs approval: domains'] : []),
    ...(loose.waitingList === 'on' && loose.most === undefined ? [': waitingList needs most'] : []),
    ...(closes && deletes && deletes.seconds <= closes.seconds ? [': deletesAt is not after closesAt'] : []),
  ]
}

/** Returns the place of a mistake, such as `fields, item 2, label `. */
function placeOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `item ${part + 1}` : String(part)))
  return parts.length === 0 ? '' : `${parts.join(', ')} `
}

function messageOf({ code, message, ...issue }: Omit<z.core.$ZodIssue, 'path'>): string {
  if (code === 'invalid_type' && message.includes('expected object')) return 'must be an object'
  if (code !== 'unrecognized_keys') return message
  const { keys } = issue as unknown as { readonly keys: readonly string[] }
  return `has unknown names: ${keys.map((key) => JSON.stringify(key)).join(', ')}`
}

const settings = () => ({
  registration: Registration.optional().meta({ inFile: 'object' }),
})

/** The settings of registration at an entry point: off without the setting. */
export const registrationFields = {
  name: REGISTRATION,
  settings,
  read: (given: SettingValues<ReturnType<typeof settings>>, _context: ReadContext) => given.registration ?? null,
  isWayIn: () => true,
  warningsOf(registration: RegistrationSettings, entryPoint: string) {
    return warningsOfRegistration(registration, entryPoint, Date.now() / 1000)
  },
} satisfies FeatureSettings<ReturnType<typeof settings>, RegistrationSettings> & { isWayIn(): boolean }

/** Returns sentences about valid settings that are usually a mistake. */
export function warningsOfRegistration(
  { closesAt, deletesAt }: RegistrationSettings,
  entryPoint: string,
  nowSeconds: number,
): string[] {
  const at = `Entry point ${entryPoint}:`
  const isPast = (time: ZonedTime | null) => time !== null && time.seconds <= nowSeconds
  return [
    ...(isPast(closesAt)
      ? [`${at} registration closed at ${closesAt?.text}. Guests cannot register. Change closesAt.`]
      : []),
    ...(isPast(deletesAt)
      ? [
          `${at} registrations were deleted at ${deletesAt?.text}. Guests can neither register nor watch. Change deletesAt.`,
        ]
      : []),
  ]
}

/** Returns the settings of registration; undefined where it is off. */
export function registrationOf({ features }: Pick<EntryPoint, 'features'>): RegistrationSettings | undefined {
  return features[REGISTRATION] as RegistrationSettings | undefined
}
