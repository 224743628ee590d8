import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import type { StoredViewer } from '../passwords/verify-sign-in.ts'

const ViewerRow = z.object({
  username: z.string(),
  password_hash: z.string(),
  disabled: z.union([z.literal(0), z.literal(1)]),
  group_names: json(z.array(z.string())),
  attributes: json(z.record(z.string(), z.string())),
})

/** @throws UpstreamError for a row that this app did not write. */
export function readViewerRow(row: unknown, file: string): StoredViewer {
  const parsed = ViewerRow.safeParse(row)
  if (!parsed.success) throw damagedRow(file, parsed.error)
  const { username, password_hash, disabled, group_names, attributes } = parsed.data
  const viewer = { username, groups: group_names, attributes }
  return { viewer, passwordHash: password_hash, disabled: disabled === 1 }
}

export function damagedRow(file: string, { message }: Error): UpstreamError {
  return new UpstreamError('user-store', `A row of the viewer database ${file} is damaged: ${message}`)
}

export function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue('is not JSON')
        return z.NEVER
      }
    })
    .pipe(schema)
}
