import { z } from 'zod'
import { knownLanguage, type Language } from '../../../languages/languages.ts'
import { OnOff } from '../../../settings/fields.ts'
import { faultInAttributeName, faultInAttributeValue } from '../../../users/viewer-fields.ts'

/** One text for all languages, or one for each. */
export type FieldText = string | Readonly<Partial<Record<Language, string>>>

interface CommonField {
  /** The name of the attribute. */
  readonly name: string
  readonly label: FieldText
  readonly isRequired: boolean
}
interface TypedField extends CommonField {
  /** What browsers may fill in, such as `organization`. */
  readonly autocomplete?: string | undefined
}
export interface TextField extends TypedField {
  readonly kind: 'text'
  readonly most: number
}
export interface ChoiceField extends TypedField {
  readonly kind: 'choice'
  readonly options: readonly { readonly value: string; readonly label: FieldText }[]
}
export interface BoxField extends CommonField {
  readonly kind: 'box'
}
export interface ConsentField extends CommonField {
  readonly kind: 'consent'
  /** The page with the full text. Null for none. */
  readonly url: string | null
  /** The text of the link to that page. Null for a text of this app. */
  readonly document: FieldText | null
  /** Stored with the time of the consent. */
  readonly version: string
}
/** A field of the form, which becomes an attribute of the guest. */
export type RegistrationField = TextField | ChoiceField | BoxField | ConsentField

/** Longer labels do not fit a small player. */
const LONGEST_LABEL = 120
const LONGEST_TEXT = 200
const DEFAULT_LENGTH = 100
const MOST_OPTIONS = 50

/** One line of text, without characters that change the direction of the text around it. */
const Line = z
  .string('must be text')
  .trim()
  .min(1, 'must not be empty')
  .max(LONGEST_LABEL, `must have at most ${LONGEST_LABEL} characters`)
  .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u, 'must be one line without control characters')

const TEXT = 'must be a line of text, or an object with a line for each language of views/languages'
const KnownLanguage = z.string().refine((tag) => knownLanguage(tag) === tag, TEXT)
const Text: z.ZodType<FieldText> = z
  .union([Line, z.record(KnownLanguage, Line)], TEXT)
  .refine((text) => typeof text === 'string' || Object.keys(text).length > 0, TEXT)

const Name = z.string('must be text').superRefine((name, context) => {
  const fault = name === '' ? 'must not be empty' : faultInAttributeName(name)
  if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  else if (name.toLowerCase() === 'accountendsat')
    context.addIssue({ code: 'custom', message: 'is the end of an account, which no guest may choose' })
})
const Value = z
  .string('must be text')
  .min(1, 'must not be empty')
  .superRefine((value, context) => {
    const fault = faultInAttributeValue(value)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })
const Required = z.string('must be on or off').pipe(OnOff)
const Option = z.union(
  [
    Value.transform((value) => ({ value, label: value })),
    z.strictObject({ value: Value, label: Text }, 'must be text, or an object with value and label'),
  ],
  'must be text, or an object with value and label',
)
const WebAddress = z.string('must be text').superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = /^[^\s\p{C}]{1,2048}$/u.test(text) && url?.protocol === 'https:' && url.username === ''
  if (!isPlain) context.addIssue({ code: 'custom', message: 'must be an https: address' })
})

/** Purposes of a field: https://www.w3.org/TR/WCAG22/#input-purposes */
const PURPOSES = `name given-name additional-name family-name nickname honorific-prefix organization organization-title
  street-address address-level1 address-level2 postal-code country country-name language bday sex url tel`.split(/\s+/)
const Purpose = z.string().refine((text) => PURPOSES.includes(text), 'must be a purpose, such as organization')

const common = { name: Name, label: Text, required: Required.optional() }
const KINDS = {
  text: {
    ...common,
    autocomplete: Purpose.optional(),
    kind: z.literal('text'),
    most: z
      .int(`must be a whole number from 1 to ${LONGEST_TEXT}`)
      .min(1, `must be a whole number from 1 to ${LONGEST_TEXT}`)
      .max(LONGEST_TEXT, `must be a whole number from 1 to ${LONGEST_TEXT}`)
      .default(DEFAULT_LENGTH),
  },
  choice: {
    ...common,
    autocomplete: Purpose.optional(),
    kind: z.literal('choice'),
    options: z
      .array(Option, 'must be an array of options')
      .min(2, 'must have at least two options')
      .max(MOST_OPTIONS, `must have at most ${MOST_OPTIONS} options`)
      .refine((all) => new Set(all.map(({ value }) => value)).size === all.length, 'has an option twice'),
  },
  box: { ...common, kind: z.literal('box') },
  consent: {
    ...common,
    kind: z.literal('consent'),
    url: WebAddress.optional(),
    document: Text.optional(),
    version: Value.max(40, 'must have at most 40 characters'),
  },
} as const

/** The schema of one field. A consent is required, and other fields are not, unless `required` says otherwise. */
export const Field = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject(KINDS.text),
      z.strictObject(KINDS.choice),
      z.strictObject(KINDS.box),
      z.strictObject(KINDS.consent),
    ],
    { error: (issue) => (issue.code === 'invalid_union' ? 'must be text, choice, box or consent' : undefined) },
  )
  .transform(({ required, ...field }): RegistrationField => {
    const isRequired = required ?? field.kind === 'consent'
    if (field.kind !== 'consent') return { ...field, isRequired }
    return { ...field, isRequired, url: field.url ?? null, document: field.document ?? null }
  })

/** Returns a text of a setting in a language: its own, else that of the default language, else the first. */
export function fieldText(text: FieldText, language: Language, defaultLanguage: Language): string {
  if (typeof text === 'string') return text
  return text[language] ?? text[defaultLanguage] ?? Object.values(text)[0] ?? ''
}

/** The most characters that a guest can type or choose. */
export function lengthOf(field: RegistrationField): number {
  if (field.kind === 'text') return field.most
  if (field.kind === 'choice') return Math.max(...field.options.map(({ value }) => value.length))
  return field.kind === 'consent' ? field.version.length : 'yes'.length
}
