import { z } from 'zod'

/** A kind of record. Each way to sign in by a window has its own kinds. */
export interface FlowKind<T> {
  /** The name in the keys of a shared store. Kinds differ by their names. */
  readonly name: string
  /** The life of a record. */
  readonly seconds: number
  /** Reads a record from a shared store, where another version of the app may have put it. */
  readonly schema: z.ZodType<T>
}

/** How a sign-in ended in its window. The way to sign in adds what it needs, and reads it with its own schema. */
export type FlowResult = z.output<typeof FlowResult>
const FlowResult = z.looseObject({ entryPoint: z.string() })

/** Until the frame collects the result. The last one counts if the viewer began several sign-ins. */
export const RESULT: FlowKind<FlowResult> = { name: 'result', seconds: 120, schema: FlowResult }

/** The records that join a frame and its window. All copies of the app share them, or there is only one copy. */
export interface FlowStore {
  /**
   * Keeps a record for its time.
   * @throws OverloadedError if the store is full.
   * @throws UpstreamError if the store does not answer.
   */
  put<T>(kind: FlowKind<T>, key: string, record: NoInfer<T>): Promise<void>
  /**
   * Returns a record and removes it, in one step: of parallel calls, only one gets it. Null without a record.
   * @param taker a digest of a form: the same form gets the record again for ten seconds, also at another copy of the app.
   * @throws UpstreamError if the store does not answer.
   */
  take<T>(kind: FlowKind<T>, key: string, taker?: string): Promise<T | null>
  /** Returns a record and leaves it there. Null without a record. @throws UpstreamError as `take` does. */
  read<T>(kind: FlowKind<T>, key: string): Promise<T | null>
  /** True if there is a record. Leaves it there. @throws UpstreamError if the store does not answer. */
  has(kind: FlowKind<unknown>, key: string): Promise<boolean>
  close(): void
}
