import { cancelAtEndOfInput } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'
import type { Values } from './env-file.ts'
import type { Question } from './questions.ts'

/** Thrown when the person cancels. */
export class Cancelled extends Error {}

/** Where answers come from. */
export interface Answers {
  /**
   * Returns the answer to a question; empty for no change.
   * @throws Cancelled if the person cancels.
   */
  ask(question: Question, env: CommandIo['env']): Promise<string>
  /** True if a wrong answer can be given again. */
  readonly canRepeat: boolean
}

/** Asks at a terminal. After a wrong answer, the prompt holds that answer. */
export function askAtTerminal(io: CommandIo): Answers {
  const last = new Map<string, string>()
  async function ask(question: Question, env: CommandIo['env']): Promise<string> {
    // Loaded only at a terminal, so that scripts start sooner.
    const { isCancel, password, text } = await import('@clack/prompts')
    const { name, isSecret, message } = question
    const isOptional = question.isOptional(env)
    const isKept = isOptional && question.present(env) === undefined && !message.includes('Empty:')
    const kept = isKept ? '. Empty: no change' : ''
    const answer = await cancelAtEndOfInput(io.stdin, async (signal) => {
      const options = {
        message: `${printable(message)}${kept}`,
        input: io.stdin,
        output: io.stderr,
        signal,
        validate: (given = '') => (given.trim() === '' && !isOptional ? 'Answer this question.' : undefined),
      }
      if (isSecret) return await password({ ...options, clearOnError: true })
      return await text({ ...options, initialValue: last.get(name) ?? question.present(env) ?? '' })
    })
    if (isCancel(answer)) throw new Cancelled()
    if (!isSecret) last.set(name, answer)
    return (answer ?? '').trim()
  }
  return { ask, canRepeat: true }
}

/** Takes the answers from a file. A question without an answer keeps the present setting. */
export function answersOfFile(values: Values): Answers {
  return {
    ask: (question, env) => Promise.resolve(values[question.name]?.trim() ?? question.present(env) ?? ''),
    canRepeat: false,
  }
}
