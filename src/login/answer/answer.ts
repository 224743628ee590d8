import type { ReturnAddress } from '../../hash-lock/return-address.ts'
import type { TextKey } from '../../languages/languages.ts'
import type { AccessGranted } from './access-decision.ts'

export type AddressReading =
  | { readonly ok: true; readonly address: ReturnAddress }
  | { readonly ok: false; readonly problem: AddressProblem; readonly reason: string }

/** The screen for a return address that is refused. It has no link: only the player can open another address. */
export interface AddressProblem {
  readonly text: TextKey
  readonly title: 'badRequest' | 'loop'
}

export interface BuiltAnswer {
  /** The address to redirect to. A credential: never log it. */
  readonly location: string
  /** The key of the answer. Null if the entry point has only one. */
  readonly key: string | null
}

/** The answer to the player of one entry point. The core has `hash-answer.ts`; a feature may replace it. */
export interface PlayerAnswer {
  /** The parameter of the address, and the hidden field of the form, that holds a return address. */
  readonly addressField: string
  /** Decides where the answer may go. No other function may, because the address comes from the browser. */
  readAddress(given: string | undefined): AddressReading
  /**
   * Call it before work that would be lost without an answer: a password check, the result of a window.
   * @throws OverloadedError and UpstreamError if no answer can be built now.
   */
  assertCapacity(): void
  /** Returns why the player cannot get this value; null if it can. */
  faultIn(value: string): string | null
  /**
   * Builds the answer for an authenticated viewer, with the keys and the time as they are now.
   * @param granted from askAccess(), in this request.
   * @param address from readAddress().
   * @param timesRefused returns how many answers with a key the service has refused to this viewer.
   * @throws RangeError if the format cannot carry the parameters. Also throws as assertCapacity().
   */
  build(granted: AccessGranted, address: ReturnAddress, timesRefused: (key: string) => number): Promise<BuiltAnswer>
  /** Returns the address for a viewer who cancels. Null if the player has no signal for that. */
  cancel(address: ReturnAddress): string | null
  /** How many answers for one target within ten seconds are a loop. */
  readonly answersOfLoop: number
  /** The likely causes of a loop, for the log. */
  readonly causesOfLoop: string
  /** Called when the player keeps refusing answers. */
  onLoop(): void
}
