import { programSettings, startLoginProgram } from '../login/login-program.ts'

/** Starts the login app with a user store. Returns functions for sign-in, readiness and output. */
export async function startProgramWithStore(settings: Readonly<Record<string, string>>) {
  const { port, output } = await startLoginProgram({ ...programSettings(), ALLOWED_GROUPS: 'staff', ...settings })
  const post = async (password: string) => {
    const init = {
      method: 'POST',
      body: new URLSearchParams({ username: 'ADA', password }),
      redirect: 'manual',
    } as const
    const answer = await fetch(`http://127.0.0.1:${port}/sign-in`, init)
    return { status: answer.status, location: decodeURIComponent(answer.headers.get('location') ?? '') }
  }
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status
  return { post, ready, output }
}
