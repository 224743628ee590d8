import { partsOf } from './context-words.ts'
import { wayToGuess } from './guessable.ts'

export const FEWEST_CHARACTERS = 8
export const MOST_CHARACTERS = 128
const GUESSABLE = {
  common: 'The password is one of the most common ones, or almost, which are tried first.',
  pattern: 'The password is easy to guess: it repeats characters, or is a row of keys or a date.',
}

export interface PasswordFault {
  readonly reason: 'unusable' | 'tooShort' | 'tooLong' | 'likeUsername' | 'likeKnownWords' | 'common' | 'pattern'
  /** A sentence for the user of a command. The screens have their own for each reason. */
  readonly sentence: string
}

/** Returns why a password cannot be chosen, as a sentence; null if it can. */
export async function faultInNewPassword(
  password: string,
  username: string,
  contextWords: readonly string[],
): Promise<string | null> {
  return (await findPasswordFault(password, username, contextWords))?.sentence ?? null
}

/**
 * Returns why a password cannot be chosen; null if it can. Any characters are allowed and none required
 * (NIST SP 800-63B 3.1.1.2, OWASP ASVS 5.0 6.2.1 to 6.2.5, 6.2.9, 6.2.11). A password is never trimmed, normalized or
 * changed in any other way.
 *
 * @param contextWords words that an attacker tries first, such as the name of the company.
 */
export async function findPasswordFault(
  password: string,
  username: string,
  contextWords: readonly string[],
): Promise<PasswordFault | null> {
  const fault = (reason: PasswordFault['reason'], sentence: string) => ({ reason, sentence })
  if (!password.isWellFormed()) {
    return fault('unusable', 'The password contains half of a character (a lone surrogate).')
  }
  if (/[\0\r\n]/.test(password)) {
    return fault('unusable', 'The password contains a line break or NUL, which a password field cannot send.')
  }
  const characters = [...password].length
  if (characters < FEWEST_CHARACTERS) {
    return fault('tooShort', `The password is shorter than ${FEWEST_CHARACTERS} characters.`)
  }
  if (characters > MOST_CHARACTERS) {
    return fault('tooLong', `The password is longer than ${MOST_CHARACTERS} characters.`)
  }
  const folded = fold(password)
  if (wordsThatMakeUp(folded, [username]) !== null) {
    return fault('likeUsername', 'The password is little more than the user name.')
  }
  const words = wordsThatMakeUp(folded, [username, ...contextWords])
  if (words !== null) {
    const sentence = `The password is little more than words that attackers try first: ${words.join(', ')}.`
    return fault('likeKnownWords', sentence)
  }
  const way = await wayToGuess(folded)
  return way && fault(way, GUESSABLE[way])
}

/** Returns the words in the password if too few characters are left without them; null otherwise. */
function wordsThatMakeUp(folded: string, names: readonly string[]): readonly string[] | null {
  const foldedNames = names.map(fold)
  if (foldedNames.includes(folded)) return [folded]
  const found: string[] = []
  let rest = folded
  for (const word of partsOf(foldedNames).sort((a, b) => b.length - a.length)) {
    if (!rest.includes(word)) continue
    rest = rest.replaceAll(word, '')
    found.push(word)
  }
  return found.length > 0 && [...rest].length < FEWEST_CHARACTERS ? found : null
}

/** Returns the text in lower case, without accents, and with one form for equivalent Unicode characters. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
}
