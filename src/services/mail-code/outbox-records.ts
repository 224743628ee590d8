import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RecordWrite } from '../guests/guest-records.ts'
import type { Seal } from '../pass/seal.ts'

/** A mail before it is built. */
export const Content = z.object({
  scope: z.string(),
  address: z.string(),
  /** Empty for a notice. */
  code: z.string(),
  /** The name of a mail that is not a code. */
  notice: z.string().optional(),
  language: z.string(),
  device: z.array(z.string()),
  requestId: z.string(),
  atMs: z.number(),
  endsAtSeconds: z.number(),
})
export type OutboxMail = z.output<typeof Content>

export const KIND = 'mail-outbox'
/** Separates the keys of sealed mails from those of other seals. */
export const OUTBOX_SEAL = 'viewer-auth mail outbox 1'
export const Row = z.object({
  atMs: z.number(),
  /** The mail is sent no sooner. */
  leasedUntilMs: z.number(),
  /** True while a copy of the app sends the mail. Each renewal of its lease changes the version of the record. */
  isTaken: z.boolean().optional(),
  tries: z.number(),
  sealed: z.string(),
})
export type Row = z.output<typeof Row>

/**
 * Returns the step that adds a mail.
 * @param place sorts the mails: a text made from milliseconds, as `createLanes()` returns it.
 * @param notBeforeMs the mail is sent no sooner.
 */
export function outboxStep(seal: Seal, mail: OutboxMail, place: string, notBeforeMs = 0): RecordWrite {
  const key = keyAt(place)
  const sealed = seal.seal(JSON.stringify(mail), key)
  const row = { atMs: Math.max(mail.atMs, notBeforeMs), leasedUntilMs: notBeforeMs, tries: 0, sealed }
  return stepOf(key, row, mail.endsAtSeconds)
}

export const keyAt = (place: string) => `${place}-${randomBytes(9).toString('base64url')}`

export function stepOf(key: string, row: Row, endsAtSeconds: number | null): RecordWrite {
  return { kind: KIND, key, text: JSON.stringify(row), endsAtSeconds }
}
