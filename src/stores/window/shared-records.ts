import type { SharedStores, StoreDeps, StoreKind, StoreSettings } from '../store-kind.ts'

/** Short-lived texts that all copies of the app share. */
export interface SharedRecords {
  put(key: string, text: string, seconds: number): Promise<void>
  get(key: string): Promise<string | null>
  /**
   * Returns a text and deletes it in one step: of parallel calls, only one gets the text.
   * @param taker gets the text again for ten seconds. For all others, the text is gone.
   */
  take(key: string, taker?: string): Promise<string | null>
  close(): void
}

export interface RecordsDeps extends StoreDeps {
  /** The name of the setting with the address, for messages. */
  readonly setting: string
  /** The effect of an outage, as the end of a sentence in the log. */
  readonly without: string
}

/** A kind of store that may keep records. */
export interface KeepsRecords<Settings extends StoreSettings = StoreSettings> {
  records?(settings: Settings, deps: RecordsDeps): Promise<SharedRecords>
}

/** Returns a function that opens records in the store of sessions, or else of limits. Null if neither has records. */
export function recordsIn(kindOf: (settings: StoreSettings) => StoreKind & KeepsRecords) {
  return async (
    { sessionStore, limitsStore }: SharedStores,
    deps: Omit<RecordsDeps, 'setting'>,
  ): Promise<SharedRecords | null> => {
    const inSessions = await kindOf(sessionStore).records?.(sessionStore, { ...deps, setting: 'SESSION_STORE_URL' })
    if (inSessions) return inSessions
    return (await kindOf(limitsStore).records?.(limitsStore, { ...deps, setting: 'LIMITS_STORE_URL' })) ?? null
  }
}
