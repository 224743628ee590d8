import { unescaped } from './refused-answer.ts'
import type { Answer } from './start-login-app.ts'

/** Returns the hidden fields of each form of a screen, but for the random text of the page. */
export function hiddenFieldsOf({ text }: Answer): { action: string; fields: Record<string, string> }[] {
  return [...text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input type="hidden" name="(?!page")([^"]*)" value="([^"]*)">/g)]
    return { action, fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)])) }
  })
}

/** Returns a screen without the random text of its page, to compare it with another one. */
export function withoutPage({ text }: Pick<Answer, 'text'>): string {
  return text.replace(/(?<=name="page" value=")[\w-]{36}/, '')
}
