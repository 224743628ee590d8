import { z } from 'zod'
import type { Viewer } from '../../../users/user-store.ts'

/** Codes that were created together. UNIX times in whole seconds. */
export const Batch = z.object({
  entryPoint: z.string(),
  label: z.string(),
  /** True for one code for all, false for one code for each person. */
  isShared: z.boolean(),
  /** The most people of a shared code at the same time. Null for any number. */
  most: z.number().nullable(),
  /** The most devices of a personal code at the same time. Null for any number. */
  devices: z.number().nullable(),
  count: z.number(),
  /** The random characters of each code. */
  length: z.number(),
  groups: z.array(z.string()),
  attributes: z.record(z.string(), z.string()),
  createdAtSeconds: z.number(),
  endsAtSeconds: z.number().nullable(),
  revokedAtSeconds: z.number().nullable(),
  /** False until all codes are stored. Before that, no code of the batch is valid. */
  isComplete: z.boolean(),
})
export type Batch = z.output<typeof Batch>

/** A code, without its text. */
export const Code = z.object({
  number: z.number(),
  /** The person who has the code. Null if not known. */
  name: z.string().nullable(),
  groups: z.array(z.string()),
  attributes: z.record(z.string(), z.string()),
  revokedAtSeconds: z.number().nullable(),
})
export type Code = z.output<typeof Code>

/** The sign-ins with a code. */
export const Uses = z.object({
  count: z.number(),
  firstAtSeconds: z.number(),
  lastAtSeconds: z.number(),
  /** The name that was typed last. Null if no name was typed. */
  name: z.string().nullable(),
})
export type Uses = z.output<typeof Uses>

/** A code with its batch. */
export interface KnownCode {
  readonly batch: Batch
  readonly code: Code
}

export const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/
export const MOST_CODES = 100_000
const ID = /^([^/#]+)\/([^/#]+)\/(\d{1,6})(?:#\d+)?$/

/** The number of a code or person in the form that sorts, such as 0042. */
export const shownNumber = (number: number) => String(number).padStart(4, '0')
export const batchKey = ({ entryPoint, label }: Pick<Batch, 'entryPoint' | 'label'>) =>
  `${entryPoint}/${label.toUpperCase()}`
/** The key of a code, which is also its id in sessions. Keys sort as numbers do. */
export const codeKey = (batch: Pick<Batch, 'entryPoint' | 'label'>, number: number) =>
  `${batchKey(batch)}/${String(number).padStart(6, '0')}`

/** Returns the batch and the key of a code by the subject of its viewer. Null for a subject of another form. */
export function readSubject(subject: string) {
  const [, entryPoint, label, number] = ID.exec(subject) ?? []
  if (entryPoint === undefined || label === undefined) return null
  return { entryPoint, label, key: codeKey({ entryPoint, label }, Number(number)) }
}

/** Returns why a code is no longer valid; null if it is. */
export function endOf({ batch, code }: KnownCode, nowSeconds: number): 'revoked' | 'ended' | null {
  if (batch.revokedAtSeconds !== null || code.revokedAtSeconds !== null) return 'revoked'
  return batch.endsAtSeconds !== null && batch.endsAtSeconds <= nowSeconds ? 'ended' : null
}

/**
 * Returns the viewer who has a code, and the subject of its session. A shared code has a subject for each sign-in.
 * @param use the number of the sign-in.
 * @param typed the name in the form. A name that the code has wins.
 */
export function viewerOf({ batch, code }: KnownCode, use: number, typed: string | null) {
  const person = batch.isShared ? use : code.number
  const number = shownNumber(person)
  const name = code.name ?? typed
  const attributes = {
    ...batch.attributes,
    ...code.attributes,
    label: batch.label,
    number,
    ...(name !== null && { name }),
  }
  const viewer: Viewer = {
    username: name ?? `${batch.label}-${number}`,
    groups: [...new Set([...batch.groups, ...code.groups])],
    attributes,
  }
  const key = codeKey(batch, code.number)
  return { viewer, subject: batch.isShared ? `${key}#${use}` : key }
}
