import type { z } from 'zod'
import { UpstreamError } from '../../../errors.ts'
import { allRecords, type GuestRecords } from '../../../services/guests/guest-records.ts'

const MOST_TRIES = 20

/** Reads and changes records with a schema. */
export function typedRecords(records: Pick<GuestRecords, 'read' | 'list' | 'write'>) {
  async function read<T>(kind: string, key: string, schema: z.ZodType<T>): Promise<T | null> {
    const record = await records.read(kind, key)
    return record === null ? null : parsed(record.text, schema)
  }
  async function* listed<T>(kind: string, prefix: string, schema: z.ZodType<T>) {
    for await (const { key, text } of allRecords(records, kind, prefix)) yield { key, value: parsed(text, schema) }
  }
  /** Changes a record, also while others change it. Returns false if it is absent, or has the change already. */
  async function change<T>(kind: string, key: string, schema: z.ZodType<T>, next: (value: T) => T | null) {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const record = await records.read(kind, key)
      const value = record === null ? null : next(parsed(record.text, schema))
      if (record === null || value === null) return false
      const { version, endsAtSeconds } = record
      const write = { kind, key, if: version, text: JSON.stringify(value), endsAtSeconds }
      if ((await records.write([write])) !== null) return true
    }
    throw new UpstreamError('guest-store', 'Too many changes of one access code at once')
  }
  return { read, listed, change }
}

/** @throws UpstreamError for a record of another form: a later release may have written it. */
function parsed<T>(text: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(JSON.parse(text))
  if (result.success) return result.data
  throw new UpstreamError('guest-store', 'A record of access codes has another form')
}
