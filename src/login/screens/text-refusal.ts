import { errorIn, type PluralForms, type Texts } from '../../languages/languages.ts'
import type { Refusal } from './screens.ts'

/** A refusal on a page beside the sign-in screen: the status, and the sentence for the viewer. */
export interface TextRefusal {
  readonly status: number
  readonly text: (texts: Texts) => string | PluralForms
  readonly count?: number
  readonly retryAfterSeconds?: number
}

/**
 * Returns a refusal of the sign-in screen as such a page shows it.
 * @param unavailable the sentence for a fault of the app.
 */
export function textRefusalOf(
  { status, text, values, retryAfterSeconds }: Refusal,
  unavailable: TextRefusal['text'],
): TextRefusal {
  return {
    status,
    text: (texts) => (status >= 500 ? unavailable(texts) : errorIn(texts, text)),
    count: Number(values?.count ?? 0),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
}
