import { z } from 'zod'
import type { AppParts } from '../../../login/service.ts'
import { createSeal } from '../../../services/pass/seal.ts'

/** Enough for a long form, and short for the next person at the device. */
const LIFETIME_SECONDS = 1_800
const LONGEST = 6_000

/** A form under way: the address that was proven, and the answers of the steps before. */
const SealedForm = z.object({
  address: z.string(),
  answers: z.record(z.string(), z.string()).readonly(),
  /** The number of the step that the guest sees, from 0 on. */
  step: z.int().nonnegative(),
  /** UNIX time in seconds: the address was proven. */
  provenAtSeconds: z.number(),
})
export type SealedForm = Readonly<z.output<typeof SealedForm>>

/** Seals forms. Each opens only at its entry point, with the secret of its frame, for half an hour after the proof. */
export function createFormSeal(
  { publicUrl, sessionSettings, nowSeconds }: Pick<AppParts, 'publicUrl' | 'sessionSettings' | 'nowSeconds'>,
  entryPoint: string,
) {
  const seal = createSeal(sessionSettings.secrets, `viewer-auth registration 1 ${publicUrl.origin}`)
  const bindingOf = (frame: string) => JSON.stringify([entryPoint, frame])
  return {
    seal: (form: SealedForm, frame: string): string => seal.seal(JSON.stringify(form), bindingOf(frame)),
    /** @returns null for a form that is altered, from elsewhere, or too old. */
    open(sealed: unknown, frame: unknown): SealedForm | null {
      if (typeof sealed !== 'string' || typeof frame !== 'string' || sealed.length > LONGEST) return null
      const text = seal.open(sealed, bindingOf(frame))
      const form = text === null ? null : SealedForm.parse(JSON.parse(text))
      // A time in the future is refused too: the clock was set back.
      const isOld = form !== null && Math.abs(nowSeconds() - form.provenAtSeconds) >= LIFETIME_SECONDS
      return isOld ? null : form
    },
  }
}

export type FormSeal = ReturnType<typeof createFormSeal>
