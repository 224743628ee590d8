import type { CommandContext } from '../terminal/command.ts'
import { printableParagraphs } from '../terminal/text.ts'
import type { Answers } from './ask.ts'
import { type Values, valuesOf } from './env-file.ts'
import type { Question } from './questions.ts'
import { STEPS, type Step } from './steps.ts'
import { mistakesAbout, type SetupParts, type Trial } from './trial.ts'

/** Starts with the settings of the environment and of .env, and with changes that need no question. */
export function startTrial(
  { io, features }: CommandContext<SetupParts>,
  text: string,
  given: Values,
  signal: AbortSignal,
): Trial {
  const inFile = valuesOf(text)
  const own = Object.fromEntries(Object.entries(io.env).filter(([name, value]) => value !== inFile[name]))
  const trial: Trial = {
    io,
    signal,
    changes: given,
    answers: {},
    fault: '',
    get env() {
      return { ...inFile, ...trial.changes, ...own }
    },
    features,
  }
  return trial
}

/**
 * Asks all questions, and tests each answer at once. Asks again after a wrong answer, if that is possible.
 * @returns what is wrong; null if all answers work.
 */
export async function tryOut(trial: Trial, answers: Answers, steps = STEPS): Promise<string | null> {
  for (const step of steps) {
    for (;;) {
      trial.signal.throwIfAborted()
      const before = trial.changes
      const fault = await tryStep(trial, step, answers)
      if (fault === null) break
      if (!answers.canRepeat) return `${fault}\nNothing was changed.`
      trial.io.stderr.write(`${printableParagraphs(fault, trial.io.stderr)}\n`)
      trial.changes = before
      trial.fault = fault
    }
  }
  return null
}

async function tryStep(trial: Trial, step: Step, answers: Answers): Promise<string | null> {
  let asked = 0
  const withHint = (fault: string) =>
    answers.canRepeat && asked > 1
      ? `${fault}\nThe questions come again. Press Enter where the answer is right.`
      : fault
  for (const question of step.questions(trial)) {
    asked++
    const answer = await answers.ask(question, trial.env)
    const fault = tryAnswer(trial, question, answer)
    if (fault !== null) return withHint(fault)
  }
  const fault = await step.test(trial)
  return fault === null ? null : withHint(fault)
}

function tryAnswer(trial: Trial, question: Question, answer: string): string | null {
  trial.answers = { ...trial.answers, [question.name]: answer }
  if (answer === '') return question.isOptional(trial.env) ? null : `${question.name} is required: ${question.message}.`
  const settings = question.settingsOf(answer, trial.env)
  trial.changes = { ...trial.changes, ...settings }
  const names = Object.keys(settings)
  const held = names.filter((name) => trial.env[name] !== settings[name])
  if (held.length > 0) return `${held.join(', ')}: set in the environment, which wins over .env. Remove it there first.`
  const mistakes = mistakesAbout(names, trial.env)
  return mistakes.length === 0 ? null : mistakes.map((mistake) => `${mistake}.`).join('\n')
}
