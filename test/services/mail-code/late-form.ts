import { setTimeout as pause } from 'node:timers/promises'
import { LONG_NAME } from '../../login/screens/screen.ts'

let asked = 0

/** Returns an address as long as `LONG_NAME`, and new each time: one mailbox gets few codes. */
export function nextAddress(): string {
  asked += 1
  return LONG_NAME.replace(/^.{10}/, String(asked).padStart(10, 'm'))
}

/** Asks for codes until the form says that mails are late: soon, because no mail server answers. */
export async function lateForm<T extends { readonly text: string }>(
  ask: (address: string) => Promise<T>,
  sentence: string,
): Promise<T> {
  for (let tries = 0; tries < 50; tries += 1) {
    const form = await ask(nextAddress())
    if (form.text.includes(sentence)) return form
    await pause(50)
  }
  throw new Error('No form says that mails are late')
}
