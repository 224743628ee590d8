/** A time in which viewers may watch. UNIX times in seconds; null for no start, or no end. */
export interface EventWindow {
  readonly opensAtSeconds: number | null
  readonly closesAtSeconds: number | null
}

export type EventState =
  /** Null if the event has no end. */
  | { readonly name: 'open'; readonly endsAtSeconds: number | null }
  | { readonly name: 'not-open-yet'; readonly opensAtSeconds: number }
  | { readonly name: 'over'; readonly endedAtSeconds: number }
