import { unescaped } from './refused-answer.ts'
import type { Answer } from './start-login-app.ts'

/** Returns the hidden fields of each form of a screen. */
export function hiddenFieldsOf({ text }: Answer): { action: string; fields: Record<string, string> }[] {
  return [...text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    return { action, fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)])) }
  })
}
