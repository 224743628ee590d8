import { fill, type Texts } from '../../../languages/languages.ts'
import {
  type Answers,
  type FieldFault,
  type FormField,
  type FormRules,
  isRequired as isNeeded,
  YES,
} from '../form/form.ts'
import type { FieldText, RegistrationField } from '../settings/field.ts'

/** A step of the form, as it was typed. */
export interface StepState {
  readonly step: readonly FormField[]
  readonly typed: Answers
  readonly faults: ReadonlyMap<string, FieldFault>
  readonly rules: FormRules
}

export type TextIn = (text: FieldText) => string

/** Returns the values of a field for its template, which has the name of its kind. */
export function rowOf(
  { field, input }: FormField,
  { typed, faults, rules }: StepState,
  textIn: TextIn,
  { registration }: Texts,
): object {
  const label = textIn(field.label)
  const isRequired = isNeeded(field, rules)
  const isTick = field.kind === 'box' || field.kind === 'consent'
  const row = {
    input,
    isRequired,
    label: isRequired || isTick ? label : fill(registration.optional, { label }),
    value: typed[field.name] ?? '',
    state: faults.has(field.name) ? ' aria-invalid="true" aria-describedby="alert"' : '',
  }
  if (field.kind === 'text') return { ...row, kind: 'text', most: field.most, autocomplete: field.autocomplete }
  if (field.kind === 'choice') {
    const options = field.options.map((option) => ({ value: option.value, label: textIn(option.label) }))
    return { ...row, kind: 'choice', options, autocomplete: field.autocomplete }
  }
  if (field.kind === 'consent') {
    const document = field.document === null ? registration.readMore : textIn(field.document)
    return { ...row, kind: 'box', ticked: field.version, url: field.url, document }
  }
  return { ...row, kind: 'box', value: row.value === YES ? 'on' : row.value, ticked: 'on', url: null }
}

/** Returns the sentence for the first fault of a step; null without one. */
export function faultText(
  { step, faults }: StepState,
  textIn: TextIn,
  { registration: { errors } }: Texts,
): string | null {
  const wrong = step.find(({ field }) => faults.has(field.name))?.field
  if (wrong === undefined) return null
  const fault = faults.get(wrong.name) ?? 'missing'
  const values = { label: textIn(wrong.label), count: wrong.kind === 'text' ? wrong.most : 0 }
  return fill(errors[fault === 'missing' && isTicked(wrong) ? 'missingTick' : fault], values)
}

function isTicked({ kind }: RegistrationField): boolean {
  return kind === 'box' || kind === 'consent'
}
