import { UpstreamError } from '../../../errors.ts'
import type { SharedRecords } from '../../../stores/window/shared-records.ts'
import type { FlowKind, FlowStore } from './flow-store.ts'

/** Opens a store in the records that several copies of the app share. */
export function openSharedFlows(records: SharedRecords): FlowStore {
  const keyOf = ({ name }: FlowKind<unknown>, key: string) => `sso:${name}:${key}`
  return {
    put: (kind, name, record) => answerOf(records.put(keyOf(kind, name), JSON.stringify(record), kind.seconds)),
    take: async (kind, name, taker) => parsed(kind.schema, await answerOf(records.take(keyOf(kind, name), taker))),
    read: async (kind, name) => parsed(kind.schema, await answerOf(records.get(keyOf(kind, name)))),
    has: async (kind, name) => (await answerOf(records.get(keyOf(kind, name)))) !== null,
    close: () => records.close(),
  }
}

/** @throws UpstreamError of the store of sign-ins under way. */
async function answerOf<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new UpstreamError('sso-store', message, { cause })
  }
}

function parsed<T>(schema: { parse(value: unknown): T }, text: string | null): T | null {
  if (text === null) return null
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new UpstreamError('sso-store', 'The store has a sign-in that this version cannot read', { cause })
  }
}
