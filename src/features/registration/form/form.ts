import { cleanText, hasDirectionMark, trimTyped } from '../../../typed-text.ts'
import { canonicalText, faultInAttributeValue } from '../../../users/viewer-fields.ts'
import type { RegistrationField } from '../settings/field.ts'

/** More fields do not fit a player of 375 × 211. */
const FIELDS_PER_STEP = 2
export const YES = 'yes'
const NO = 'no'

/** The answers of a guest by field: '' for an answer that was left out. */
export type Answers = Readonly<Record<string, string>>

/** A field of a step, and its name in the form: the names of attributes may have any letters. */
export interface FormField {
  readonly field: RegistrationField
  readonly input: string
}

export type FieldFault = 'missing' | 'tooLong' | 'unreadable' | 'notAnOption'

/** The rules of the player, for answers that are its parameters. */
export interface FormRules {
  /** Returns true if the player requires this attribute. */
  readonly isSent: (name: string) => boolean
  /** Returns true if the player can get this value. */
  readonly canSend: (value: string) => boolean
}

/** Splits the fields of a registration into steps. */
export function stepsOf(fields: readonly RegistrationField[]): readonly (readonly FormField[])[] {
  const all = fields.map((field, index) => ({ field, input: `field${index + 1}` }))
  const starts = all.flatMap((_field, index) => (index % FIELDS_PER_STEP === 0 ? index : []))
  return starts.map((start) => all.slice(start, start + FIELDS_PER_STEP))
}

/** True if the form asks for an answer. A box that is sent to the player always has one. */
export function isRequired({ kind, name, isRequired: isAsked }: RegistrationField, { isSent }: FormRules): boolean {
  return isAsked || (kind !== 'box' && isSent(name))
}

/**
 * Reads the fields of one step. Every other field of the body is ignored, so that no body can set another attribute.
 * @param body a parsed form. A repeated field is an array, and is refused.
 */
export function readStep(step: readonly FormField[], body: Readonly<Record<string, unknown>>, rules: FormRules) {
  const answers: Record<string, string> = {}
  const typed: Record<string, string> = {}
  const faults = new Map<string, FieldFault>()
  for (const { field, input } of step) {
    const given = body[input] ?? ''
    const text = typeof given === 'string' ? given : null
    typed[field.name] = text ?? ''
    const answer = text === null ? null : answerOf(field, text)
    const fault = answer === null ? 'unreadable' : faultIn(field, answer, rules)
    if (fault !== null || answer === null) faults.set(field.name, fault ?? 'unreadable')
    else answers[field.name] = answer
  }
  return { answers, typed, faults }
}

/** Returns the number of the first step without a right answer to each field; null if the form is complete. */
export function openStep(steps: readonly (readonly FormField[])[], answers: Answers, rules: FormRules): number | null {
  const isOpen = ({ field }: FormField) => {
    const answer = Object.hasOwn(answers, field.name) ? answers[field.name] : undefined
    return answer === undefined || faultIn(field, answer, rules) !== null
  }
  const index = steps.findIndex((step) => step.some(isOpen))
  return index < 0 ? null : index
}

/** Returns the attributes of a complete form: an answer that was left out is not an attribute. */
export function attributesOf(fields: readonly RegistrationField[], answers: Answers): Readonly<Record<string, string>> {
  const pairs = fields.map(({ name }) => [name, answers[name] ?? ''] as const)
  return Object.fromEntries(pairs.filter(([, answer]) => answer !== ''))
}

/** Returns the answer as it is stored, or null. A consent is stored as the version that was shown. */
function answerOf(field: RegistrationField, text: string): string | null {
  if (field.kind === 'box') return text === '' ? NO : text === 'on' ? YES : text
  if (field.kind === 'consent') return text
  const typed = trimTyped(text.slice(0, 2 * LONGEST))
  if (field.kind === 'choice') return canonicalText(typed)
  return hasDirectionMark(typed) ? null : canonicalText(cleanText(typed))
}
/** To bring a longer text into its canonical form takes too long. */
const LONGEST = 1_000

function faultIn(field: RegistrationField, answer: string, rules: FormRules): FieldFault | null {
  const { kind, name } = field
  if (kind === 'box') return answer === YES || (answer === NO && !field.isRequired) ? null : boxFault(answer)
  if (answer === '') return isRequired(field, rules) ? 'missing' : null
  if (kind === 'consent') return answer === field.version ? null : 'missing'
  if (kind === 'choice') return field.options.some(({ value }) => value === answer) ? null : 'notAnOption'
  if (answer.length > field.most) return 'tooLong'
  const isReadable = faultInAttributeValue(answer) === null && (!rules.isSent(name) || rules.canSend(answer))
  return isReadable ? null : 'unreadable'
}

function boxFault(answer: string): FieldFault {
  return answer === NO ? 'missing' : 'notAnOption'
}
