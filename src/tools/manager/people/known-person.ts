import { z } from 'zod'

const Text = z.string().nullable()
const Event = z
  .looseObject({
    time: z.string(),
    outcome: z.string(),
    reason: Text,
    code: Text,
    address: Text,
    entryPoint: Text,
    guestWayIn: Text.default(null),
    subject: Text.default(null),
  })
  .nullable()
  .default(null)

const Guest = z.object({ wayIn: z.string(), subject: z.string() }).nullable().default(null)

/** What `viewers show --json` prints. */
export const KnownPerson = z.looseObject({
  username: z.string(),
  state: z.string(),
  invitation: z.looseObject({ expiresAt: z.string(), isSent: z.boolean() }).nullable(),
  groups: z.array(z.string()).nullable(),
  attributes: z.record(z.string(), z.string()).nullable(),
  failedSignIns: z
    .object({
      count: z.number(),
      lockedSeconds: z.number(),
      addresses: z.array(z.object({ address: z.string(), count: z.number(), waitSeconds: z.number() })),
    })
    .nullable(),
  sessions: z.array(z.looseObject({ signedInAt: z.string(), lastUsedAt: z.string(), guest: Guest })).nullable(),
  lastSignIn: Event,
  lastRefusal: Event,
  faults: z.array(z.string()),
})
export type KnownPerson = z.infer<typeof KnownPerson>
