/** A store that the app can do without for a while. While it is away, readiness says "degraded". */
export interface OptionalStore {
  /** The setting with its address, for readiness. */
  readonly setting: string
  isAvailable(): boolean
}
