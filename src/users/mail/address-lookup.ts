import type { Viewer } from '../user-store.ts'

/** The enabled viewer with an address, as `find` returns it. Null if there is none; `several` if there are more. */
export type AddressOwner = Viewer | 'several' | null

declare module '../user-store.ts' {
  interface UserStore {
    /**
     * Returns the enabled viewer whose attribute is this mail address, by an index. Absent if the store cannot do so.
     * @param attribute one for which `faultInLookup` of the kind of store returns null.
     * @param address canonical: ASCII, in lower case. The store may have it in upper case too.
     * @throws UpstreamError when the store cannot be reached.
     */
    findByAddress?(attribute: string, address: string): Promise<AddressOwner>
  }
}

declare module '../user-store-kind.ts' {
  interface UserStoreKind<Settings extends StoreSettings = StoreSettings> {
    /**
     * Returns why a store with these settings cannot find viewers by a mail address in this attribute, as a sentence
     * without a full stop; null if it can. Absent if no store of this kind can.
     */
    faultInLookup?(settings: Settings, attribute: string): string | null
  }
}

/** Returns the only viewer of a list. */
export function ownerIn([viewer, other]: readonly Viewer[]): AddressOwner {
  return other === undefined ? (viewer ?? null) : 'several'
}
